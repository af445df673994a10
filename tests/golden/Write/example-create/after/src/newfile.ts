export const greeting = 'Hello, World!';
