export { classify } from './classification.ts'
export { expectForwardable, headerPattern } from './forwarded-header.ts'
export { type RestrictedApi, type Restriction, restrictedApis, restrictionsByApi } from './restriction.ts'
