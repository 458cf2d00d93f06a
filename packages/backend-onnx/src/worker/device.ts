import type { InstanceContext } from '@triton-ts/core/backend'

/** Where a session should run. */
export type Device = Pick<InstanceContext, 'kind' | 'deviceId'>
