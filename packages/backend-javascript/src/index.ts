export { type JavascriptOptions, javascript } from './javascript-backend.ts'
