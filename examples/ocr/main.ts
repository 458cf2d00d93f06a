// Reads what is written in a picture: `npm start`, or `npm start -- picture.png` (PNG or JPEG).
import { javascript } from '@triton-ts/backend-javascript'
import { onnx } from '@triton-ts/backend-onnx'
import { readPicture } from '@triton-ts/cli'
import { Server, tensor } from '@triton-ts/core'
import { models, placeModels } from './place-models.ts'

await placeModels()
await using server = await Server.start({ modelRepository: models, backends: [onnx(), javascript()] })

const { width, height, data } = await readPicture(process.argv[2] ?? `${import.meta.dirname}/sign.png`)
const { TEXT } = await server.infer('ocr', { IMAGE: tensor('UINT8', [height, width, 3], data) })
for (const line of TEXT!.strings()) console.log(line)
