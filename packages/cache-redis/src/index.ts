export { redisCache } from './redis-cache.ts'
export type { RedisCacheOptions } from './redis-options.ts'
