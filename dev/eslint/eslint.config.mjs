// eslint.config.mjs - what ESLint checks in the page (web/) and in the tests
// and benchmarks that are written in JavaScript. dev/lint runs it.
import path from 'node:path';
import js from '@eslint/js';
import globals from 'globals';

const RULES = {
  ...js.configs.recommended.rules,
  eqeqeq: 'error',
  'no-implicit-globals': 'error',
  'no-use-before-define': ['error', { functions: false, classes: false, variables: false }],
  'no-var': 'error',
  'prefer-const': 'error',
  // A leading underscore marks a name that the syntax asks for and nobody uses;
  // `{ a, ...rest }` is how a property is left out.
  'no-unused-vars': ['error', {
    argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true,
    caughtErrors: 'none',
  }],
};
// The addresses below start at the root of the repository.
const basePath = path.resolve(import.meta.dirname, '../..');

export default [
  { ignores: ['**/node_modules/**', '**/build*/**'] },
  {
    basePath,
    files: ['web/**/*.js'],
    languageOptions: { sourceType: 'module', globals: globals.browser },
    rules: RULES,
  },
  {
    // Functions that a browser test hands to page.evaluate() run in the page.
    basePath,
    files: ['tests/**/*.mjs', 'bench/**/*.mjs', 'dev/**/*.mjs'],
    languageOptions: {
      sourceType: 'module', globals: { ...globals.node, ...globals.browser },
    },
    rules: RULES,
  },
];
