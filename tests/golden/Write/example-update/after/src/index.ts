import { greeting } from './newfile';

console.log(greeting);
