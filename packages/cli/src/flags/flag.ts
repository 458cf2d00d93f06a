/** One flag of `triton-ts serve`. */
export interface Flag<Value> {
  /** Form of the argument in the usage, `<integer>` for instance; `''` for a flag without one. */
  readonly argument: string
  readonly default: Value
  readonly meaning: string
  /** Why setting it changes nothing, said at the start when somebody sets it. */
  readonly noEffect?: string | undefined
  /**
   * The value after one more occurrence on the command line.
   * @param text `''` for a flag without an argument.
   * @throws Error with the reason, in Triton's words where it has some.
   */
  read(text: string, previous: Value, name: string): Value
}

const trueWords = ['true', 'on', '1']
const falseWords = ['false', 'off', '0']

/** `true`, `on`, `1` and `false`, `off`, `0` in any case. */
export function bool(value: boolean, meaning: string, noEffect?: string): Flag<boolean> {
  const read = (text: string) => {
    const word = text.toLowerCase()
    if (trueWords.includes(word)) return true
    if (falseWords.includes(word)) return false
    throw new Error(`invalid value for bool option: ${text}`)
  }
  return { argument: '<boolean>', default: value, meaning, noEffect, read }
}

/** A flag that takes no argument. */
export function onOff(meaning: string): Flag<boolean> {
  return { argument: '', default: false, meaning, read: () => true }
}

/** @throws Error in Triton's words for what is no integer, or none from `least` to `most`. */
export function readInteger(text: string, least: number, most: number): number {
  if (!/^[+-]?\d+$/.test(text)) throw new Error(`Invalid option value. Got ${text}`)
  const value = Number(text)
  if (value < least || value > most) throw new Error(`Provided option value is out of bound. Got ${text}`)
  return value
}

function integer(
  value: number,
  meaning: string,
  noEffect: string | undefined,
  least: number,
  most: number,
): Flag<number> {
  const read = (text: string) => readInteger(text, least, most)
  return { argument: '<integer>', default: value, meaning, noEffect, read }
}

/** A signed 32-bit integer. */
export function int(value: number, meaning: string, noEffect?: string): Flag<number> {
  return integer(value, meaning, noEffect, -(2 ** 31), 2 ** 31 - 1)
}

/** A signed 32-bit integer from `least` on. */
export function atLeast(least: number, value: number, meaning: string): Flag<number> {
  return integer(value, meaning, undefined, least, 2 ** 31 - 1)
}

/** A number of bytes. */
export function size(value: number, meaning: string, noEffect?: string): Flag<number> {
  return integer(value, meaning, noEffect, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
}

/** 0 lets the system choose a free port. */
export function port(value: number, meaning: string, noEffect?: string): Flag<number> {
  return integer(value, meaning, noEffect, 0, 65535)
}

/** An integer, or `true` for 1 and `false` for 0. */
export function level(value: number, meaning: string): Flag<number> {
  const bools = new Map([
    ['true', '1'],
    ['false', '0'],
  ])
  const flag = int(value, meaning)
  return { ...flag, read: (text, ...rest) => flag.read(bools.get(text.toLowerCase()) ?? text, ...rest) }
}

/** A number, maybe with a fraction. */
export function float(value: number, meaning: string, noEffect?: string): Flag<number> {
  const read = (text: string) => {
    const number = text.trim() === '' ? Number.NaN : Number(text)
    if (Number.isNaN(number)) throw new Error(`Invalid option value. Got ${text}`)
    return number
  }
  return { argument: '<number>', default: value, meaning, noEffect, read }
}

export function text(value: string, meaning: string, noEffect?: string): Flag<string> {
  return { argument: '<string>', default: value, meaning, noEffect, read: (given) => given }
}

/** One of a few words, in any case. */
export function choice<Word extends string>(
  value: Word,
  words: readonly Word[],
  meaning: string,
  noEffect?: string,
): Flag<Word> {
  const read = (text: string, _previous: Word, name: string) => {
    const word = words.find((one) => one.toLowerCase() === text.toLowerCase())
    if (word === undefined) throw new Error(`invalid argument for --${name}`)
    return word
  }
  return { argument: `<${words.join('|')}>`, default: value, meaning, noEffect, read }
}

/** May be given several times. */
export function list(argument: string, meaning: string, noEffect?: string): Flag<readonly string[]> {
  return { argument, default: [], meaning, noEffect, read: (given, previous) => [...previous, given] }
}
