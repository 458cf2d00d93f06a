import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonArray } from './json-array.ts'
import { JsonParser } from './json-parser.ts'
import { JsonNumber, JsonObject, type JsonValue } from './json-value.ts'

const parser = new JsonParser()

/** The document as JSON.parse would give it, but with numbers as they were read. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.value
  if (value instanceof JsonObject) {
    const object: Record<string, unknown> = Object.create(null)
    // JSON.parse keeps the last of several members of one name.
    value.keys.forEach((key, i) => {
      object[key] = plain(value.values[i] as JsonValue)
    })
    return object
  }
  if (!(value instanceof JsonArray)) return value
  if (value.kind === 'numbers') return [...value.numbers]
  if (value.kind === 'booleans') return [...value.bytes].map(Boolean)
  if (value.kind === 'values') return value.items?.map(plain)
  const strings: string[] = []
  const bytes = Buffer.from(value.bytes)
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32LE(at)) {
    strings.push(bytes.toString('utf8', at + 4, at + 4 + bytes.readUInt32LE(at)))
  }
  return strings
}

const parse = (text: string | Uint8Array): unknown =>
  parser.parse(typeof text === 'string' ? Buffer.from(text) : text, plain)

const toPlain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).map(([k, v]) => [k, toPlain(v)])))
}

const errorOf = (text: string | Uint8Array): string => {
  try {
    parse(text)
  } catch (error) {
    return (error as Error).message.replace('failed to parse the request JSON buffer: ', '')
  }
  return 'no error'
}

/** Documents whose arrays hold one kind of leaves, so that nothing of them is dropped. */
const leaves = fc.oneof(
  fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())),
  fc.array(fc.string({ unit: 'binary' })),
  fc.array(fc.boolean()),
)
const documents = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    leaves,
    tie('object'),
    fc.array(tie('object'), { minLength: 1 }),
  ),
  object: fc.dictionary(fc.string(), tie('value')),
})).value

/** White space wherever JSON allows it. */
const spaced = (value: unknown, space: string): string => JSON.stringify(value, null, space)

describe('valid documents', () => {
  test('are what JSON.parse makes of them', () => {
    fc.assert(
      fc.property(documents, fc.constantFrom('', ' ', '\t', '\r\n'), (value, space) => {
        const text = spaced(value, space)
        expect(parse(text)).toStrictEqual(toPlain(JSON.parse(text)))
      }),
      { numRuns: 500 },
    )
  })

  test('nested arrays of numbers are one run', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })))), (value) => {
        const flat = value.flat(2)
        const read = parser.parse(Buffer.from(JSON.stringify(value)), (document) => {
          const array = document as JsonArray
          return { kind: array.kind, numbers: [...array.numbers] }
        })
        expect(read.numbers).toStrictEqual(
          JSON.parse(JSON.stringify(flat)).map((n: number) => (Object.is(n, -0) ? 0 : n)),
        )
        expect(read.kind).toBe(flat.length > 0 ? 'numbers' : 'empty')
      }),
    )
  })

  test('NaN, infinities, a byte-order mark and NUL as the end', () => {
    expect(parse('[NaN, -NaN, Inf, -Inf, Infinity, -Infinity]')).toEqual([
      Number.NaN,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ])
    expect(parse('\ufeff{"a": 1}')).toEqual(toPlain({ a: 1 }))
    expect(parse('1\0 whatever')).toBe(1)
  })

  test('invalid UTF-8 passes', () => {
    expect(parse(Buffer.from('["caf\xe9"]', 'latin1'))).toEqual([Buffer.from('caf\xe9', 'latin1').toString()])
  })
})

describe('integers', () => {
  test.each([
    ['9223372036854775807', 9223372036854775807n, true, true],
    ['9223372036854775808', 9223372036854775808n, false, true],
    ['18446744073709551615', 18446744073709551615n, false, true],
    ['18446744073709551616', undefined, false, false],
    ['-9223372036854775808', -9223372036854775808n, true, false],
    ['-9223372036854775809', undefined, false, false],
    ['9007199254740993', 9007199254740993n, true, true],
    ['1234567890123456', 1234567890123456, true, true],
    ['-0', 0, true, true],
    ['1.0', undefined, false, false],
    ['1e2', undefined, false, false],
  ])('%s', (text, exact, isInt64, isUint64) => {
    parser.parse(Buffer.from(`[${text}]`), (document) => {
      const array = document as JsonArray
      expect(array.notInt64At > 0).toBe(isInt64)
      expect(array.notUint64At > 0).toBe(isUint64)
    })
    parser.parse(Buffer.from(text), (document) => expect((document as JsonNumber).integer).toBe(exact))
  })
})

test('a big integer leaves nothing behind', () => {
  parser.parse(Buffer.from('{"a":9007199254740993,"b":12345,"c":[12345]}'), (document) => {
    const object = document as JsonObject
    expect(object.values.slice(0, 2).map((value) => (value as JsonNumber).integer)).toEqual([9007199254740993n, 12345])
    expect((object.get('c') as JsonArray).bigInteger(0)).toBeUndefined()
  })
})

describe('mixed arrays remember where the first kind ends', () => {
  test.each([
    ['[1, 2, "a", 3]', 'numbers', 2],
    ['[[1, 2], ["a"]]', 'numbers', 2],
    ['[["a", 1], ["b"]]', 'strings', 1],
    ['[true, null]', 'booleans', 1],
    ['[[1], {}]', 'numbers', 1],
    ['[1, [2, [3, null]]]', 'numbers', 3],
  ])('%s', (text, kind, mixedAt) => {
    parser.parse(Buffer.from(text), (document) => {
      expect(document).toMatchObject({ kind, mixedAt, count: mixedAt })
    })
  })
})

describe('errors have the texts and offsets of RapidJSON', () => {
  test.each([
    ['', 'The document is empty. at 0'],
    ['  ', 'The document is empty. at 2'],
    ['{', 'Missing a name for object member. at 1'],
    ['{"inputs":[],}', 'Missing a name for object member. at 13'],
    ["{'a':1}", 'Missing a name for object member. at 1'],
    ['{"a" 1}', 'Missing a colon after a name of object member. at 5'],
    ['{"a":1 "b"}', "Missing a comma or '}' after an object member. at 7"],
    ['{"a":1', "Missing a comma or '}' after an object member. at 6"],
    ['[1 2]', "Missing a comma or ']' after an array element. at 3"],
    ['[01]', "Missing a comma or ']' after an array element. at 2"],
    ['[0x10]', "Missing a comma or ']' after an array element. at 2"],
    ['[1', "Missing a comma or ']' after an array element. at 2"],
    ['[1,]', 'Invalid value. at 3'],
    ['[1,', 'Invalid value. at 3'],
    ['[,1]', 'Invalid value. at 1'],
    ['this', 'Invalid value. at 1'],
    ['nul', 'Invalid value. at 3'],
    ['[.5]', 'Invalid value. at 1'],
    ['[-]', 'Invalid value. at 2'],
    ['[+1]', 'Invalid value. at 1'],
    ['[Infinitx]', 'Invalid value. at 8'],
    ['[Na]', 'Invalid value. at 3'],
    ['[1.]', 'Miss fraction part in number. at 3'],
    ['[1.e5]', 'Miss fraction part in number. at 3'],
    ['[1e]', 'Miss exponent in number. at 3'],
    ['[1e+]', 'Miss exponent in number. at 4'],
    ['[-1e400]', 'Number too big to be stored in double. at 1'],
    ['[1.8e308]', 'Number too big to be stored in double. at 1'],
    [`[${'9'.repeat(400)}]`, 'Number too big to be stored in double. at 1'],
    ['"abc', 'Missing a closing quotation mark in string. at 4'],
    ['["abc', 'Missing a closing quotation mark in string. at 5'],
    ['["\\x"]', 'Invalid escape character in string. at 2'],
    ['["a\nb"]', 'Invalid escape character in string. at 3'],
    ['["\\u12g4"]', 'Incorrect hex digit after \\u escape in string. at 2'],
    ['["\\ud800"]', 'The surrogate pair in string is invalid. at 2'],
    ['["\\udc00"]', 'The surrogate pair in string is invalid. at 2'],
    ['["\\ud800\\u0041"]', 'The surrogate pair in string is invalid. at 2'],
    ['{} {}', 'The document root must not be followed by other values. at 3'],
    ['{}x', 'The document root must not be followed by other values. at 2'],
  ])('%s', (text, expected) => {
    expect(errorOf(text)).toBe(expected)
  })

  test('nesting beyond the limit is refused, in constant memory', () => {
    expect(errorOf('['.repeat(10_000) + ']'.repeat(10_000))).toBe(
      'JSON nesting depth exceeds maximum allowed limit (1000)',
    )
    expect(errorOf('{"a":'.repeat(10_000))).toBe('JSON nesting depth exceeds maximum allowed limit (1000)')
    expect(errorOf('['.repeat(900) + ']'.repeat(900))).toBe('no error')
  })

  test('any prefix of a document is an error, and no bytes break the parser', () => {
    const text = '{"id":"a\\u00e9","inputs":[{"name":"x","shape":[1,2],"data":[[1.5,-2e3]],"p":{"b":true,"n":null}}]}'
    for (let end = 0; end < text.length; end++) expect(errorOf(text.slice(0, end))).not.toBe('no error')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(errorOf(bytes)).toBeTypeOf('string')
      }),
      { numRuns: 2000 },
    )
  })
})
