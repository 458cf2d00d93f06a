import { Server, tensor } from '@triton-ts/core'
import { onnx } from './index.ts'
import { test } from 'vitest'
test('golden', async () => {
  const G='/work/shared/golden/repo/'
  await using server = new Server({ modelRepository: [G+'models', G+'auto', G+'broken'], modelControl: 'explicit', backends: [onnx()] } as never)
  await server.start()
  const load = async (m: string) => { try { await server.load(m); console.log('ok', m) } catch (e) { console.log('ERR', m, (e as any).code, (e as Error).message) } }
  for (const m of ['bad_onnx','bad_dtype','bad_dims','bad_batch_dim','bad_input_name','bad_missing_file','bad_dup_input','reshape_fp32','opt_input','identity_bytes','identity_fp16','identity_bool','var_shape','fails_at_run','classify5','seq_direct','seq_string','seq_oldest','auto_batch','auto_scalar','auto_fixed','add_sub_fp32','rich_config','auto_identity','auto_partial']) await load(m)
  const inf = async (m: string, i: any, o?: any) => { try { console.log(m, JSON.stringify(await server.infer(m, i, o), (k,v)=>typeof v==='bigint'?String(v):v), Object.fromEntries(Object.entries(await server.infer(m,i,o)).map(([k,t])=>[k,[t.datatype,t.shape,t.datatype==='BYTES'? t.data.map((x:any)=>Buffer.from(x).toString('latin1')):t.data]]))) } catch (e) { console.log('ERR', m, (e as any).code, (e as Error).message) } }
  await inf('reshape_fp32', { INPUT0: tensor('FP32',[3,1],new Float32Array([1,2,3])) })
  await inf('opt_input', { INPUT0: tensor('FP32',[4],new Float32Array([1,2,3,4])) })
  await inf('opt_input', { INPUT0: tensor('FP32',[4],new Float32Array([1,2,3,4])), INPUT1: tensor('FP32',[4],new Float32Array([1,1,1,1])) })
  await inf('opt_input', { INPUT1: tensor('FP32',[4],new Float32Array([1,1,1,1])) })
  await inf('identity_bytes', { INPUT0: tensor('BYTES',[1,4],['a\0b','é',Buffer.from('caf\xe9','latin1'),'']) })
  await inf('identity_fp16', { INPUT0: tensor('FP16',[1,2],new Uint16Array([1,2])) })
  await inf('identity_bool', { INPUT0: tensor('BOOL',[1,0],new Uint8Array()) })
  await inf('var_shape', { X: tensor('FP32',[1,2,3],new Float32Array([1,2,3,4,5,6])) })
  await inf('fails_at_run', { INPUT0: tensor('FP32',[5],new Float32Array(5)) })
  await inf('classify5', { INPUT0: tensor('FP32',[1,5],new Float32Array(5)) })
  await inf('auto_scalar', { INPUT0: tensor('BYTES',[3],['a','b','c']) })
  console.log(JSON.stringify(server.model('auto_batch').configJson()))
})
