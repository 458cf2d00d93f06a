export { identity } from './identity-backend.ts'
export { type ImageFormat, type ImageType, imageTensor, type Scaling, scalings } from './images/image-tensor.ts'
export { decodePicture, type Picture, readPicture } from './images/picture.ts'
export {
  type Classification,
  type ClassifyOptions,
  classificationText,
  classifyImages,
} from './infer/classify-images.ts'
export { serve } from './serve/serve.ts'
