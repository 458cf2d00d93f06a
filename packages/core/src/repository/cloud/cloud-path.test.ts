import { expect, test } from 'vitest'
import { cloudOf, parseCloudPath } from './cloud-path.ts'

const s3 = { cloud: 's3', endpoint: undefined }
const at = (endpoint: string) => ({ cloud: 's3', endpoint, bucket: 'bucket', prefix: 'some/models/' })

test.each([
  ['s3://bucket', { ...s3, bucket: 'bucket', prefix: '' }],
  ['s3://bucket/', { ...s3, bucket: 'bucket', prefix: '' }],
  ['s3://bucket/some/models', { ...s3, bucket: 'bucket', prefix: 'some/models/' }],
  ['s3:////bucket//some///models//', { ...s3, bucket: 'bucket', prefix: 'some/models/' }],
  ['s3://localhost:4566/bucket/some/models', at('http://localhost:4566')],
  ['s3://minio_1:9000/bucket/some/models', at('http://minio_1:9000')],
  ['s3://http://10.0.0.1:9000/bucket/some/models/', at('http://10.0.0.1:9000')],
  ['s3://https://s3.example.com:443/bucket//some/models', at('https://s3.example.com:443')],
  ['s3://https://s3.example.com/bucket/some/models', at('https://s3.example.com')],
  ['s3://[::1]:9000/bucket/some/models', at('http://[::1]:9000')],
  ['s3://bucket/with:colon/models', { ...s3, bucket: 'bucket', prefix: 'with:colon/models/' }],
  ['gs://bucket', { cloud: 'gs', bucket: 'bucket', prefix: '' }],
  ['gs://bucket/a/b/', { cloud: 'gs', bucket: 'bucket', prefix: 'a/b/' }],
  ['as://acc/models', { cloud: 'as', endpoint: undefined, account: 'acc', bucket: 'models', prefix: '' }],
  ['as://acc/models/a/b/', { cloud: 'as', endpoint: undefined, account: 'acc', bucket: 'models', prefix: 'a/b/' }],
  ['as://acc/models/a?sv=1', { cloud: 'as', endpoint: undefined, account: 'acc', bucket: 'models', prefix: 'a/' }],
  [
    'as://http://127.0.0.1:10000/devstoreaccount1/models/a',
    { cloud: 'as', endpoint: 'http://127.0.0.1:10000', account: 'devstoreaccount1', bucket: 'models', prefix: 'a/' },
  ],
])('%s', (path, expected) => {
  expect(parseCloudPath(path)).toEqual({ path, ...expected })
})

test.each([
  ['s3://', 'No bucket name found in path: s3://'],
  ['s3://localhost:4566/', 'No bucket name found in path: s3://localhost:4566/'],
  ['s3://localhost:4566', 'No bucket name found in path: s3://localhost:4566'],
  ['s3://https://s3.example.com', 'No bucket name found in path: s3://https://s3.example.com'],
  ['gs://', 'No bucket name found in path: gs://'],
  ['as://account', 'Invalid azure storage path: as://account'],
  ['as://http://127.0.0.1:10000/account', 'Invalid azure storage path: as://http://127.0.0.1:10000/account'],
])('%s names no bucket', (path, text) => {
  expect(() => parseCloudPath(path)).toThrow(
    expect.objectContaining({ name: 'TritonError', code: 'INTERNAL', message: text }),
  )
})

test('only the beginning of a path makes it one of a cloud', () => {
  expect(['s3://b', 'gs://b', 'as://b'].map(cloudOf)).toEqual(['s3', 'gs', 'as'])
  expect(['/models', 'models/s3://b', 'S3://b', 's3:/b', 'https://b'].map(cloudOf)).toEqual(Array(5).fill(undefined))
  expect(() => parseCloudPath('/models')).toThrow(/not the path of a cloud repository/)
})
