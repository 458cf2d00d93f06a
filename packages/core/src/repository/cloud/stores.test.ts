import { withEachServer } from './servers/all-servers.ts'
import { storeContract } from './servers/store-contract.ts'
import { storeFaultContract } from './servers/store-fault-contract.ts'
import { storeRig } from './servers/store-rig.ts'

await withEachServer((kind) => {
  const rig = storeRig(kind)
  storeContract(rig)
  storeFaultContract(rig)
})
