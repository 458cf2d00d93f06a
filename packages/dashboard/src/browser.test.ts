import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AccessCall } from '@triton-ts/protocol'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, launchChromium } from './fixtures/chromium.ts'
import { type DashboardRig, dashboardRig, echoModel } from './fixtures/dashboard-rig.ts'

const executable = findChromium()

const evil = '<img src=x onerror=window.harmed=1>'
const files = {
  'alpha/config.pbtxt': echoModel('FP32', '[2]', 'max_batch_size: 4'),
  'alpha/1/': '',
  'text/config.pbtxt': echoModel('STRING', '[1]'),
  'text/1/': '',
  'long/config.pbtxt': echoModel('INT64', '[-1]'),
  'long/1/': '',
  'stream/config.pbtxt': echoModel('STRING', '[1]', 'model_transaction_policy { decoupled: true }'),
  'stream/1/': '',
  'broken/config.pbtxt': `backend: "${'a-long-name-of-a-backend-that-is-not-there-'.repeat(4)}"`,
  'broken/1/': '',
  [`${evil}/config.pbtxt`]: echoModel('INT64', '[-1]'),
  [`${evil}/1/`]: '',
}

/** The JSON form of a configuration. */
const io = (datatype: string, dims: readonly number[]): object => ({
  backend: 'identity',
  input: [{ name: 'INPUT0', data_type: `TYPE_${datatype}`, dims }],
  output: [{ name: 'OUTPUT0', data_type: `TYPE_${datatype}`, dims }],
})

describe.skipIf(executable === undefined)('in Chromium', () => {
  let browser: Browser
  let rig: DashboardRig
  beforeAll(async () => {
    browser = await launchChromium(executable as string)
    rig = await dashboardRig(files, {}, { modelControl: 'explicit', loadModels: ['*'] })
  })
  afterAll(async () => {
    await browser?.close()
    await rig?.[Symbol.asyncDispose]()
  })

  /** An open page with what it complained about: errors of scripts, and violations of its policy. */
  async function open(options: BrowserContextOptions = {}, { url, path = '/' } = { url: rig.url, path: '/' }) {
    const page = await browser.newPage(options)
    page.setDefaultTimeout(20_000)
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    await page.goto(url + path)
    return { page, complaints, [Symbol.asyncDispose]: () => page.close() }
  }

  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
  const choose = (page: Page, name: string) => page.getByRole('button', { name, exact: false }).click()
  const run = (page: Page) => page.getByRole('button', { name: 'Run' }).click()

  test('it shows each model, why one does not serve, and complains of nothing', async () => {
    await using opened = await open({}, { url: rig.url, path: `/#${encodeURIComponent('["","alpha",1]')}` })
    const { page, complaints } = opened
    await row(page, 'alpha').getByText('ready').waitFor()
    await row(page, 'broken')
      .getByText(/unable to find backend library/)
      .waitFor()
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await page.getByText('triton ·').waitFor()
    await page.getByRole('img', { name: /^Throughput/ }).waitFor()
    expect(await page.getByLabel('API key').isVisible()).toBe(false)
    expect(complaints).toEqual([])
  })

  test('its numbers move when requests run', async () => {
    await using opened = await open()
    const { page } = opened
    await choose(page, 'alpha')
    const rate = row(page, 'alpha').getByRole('cell').nth(1)
    await expect.poll(() => rate.textContent()).toBe('0')
    for (let i = 0; i < 50; i++) await rig.server.infer('alpha', { INPUT0: [[1, 2]] })
    await expect.poll(async () => Number(await rate.textContent())).toBeGreaterThan(0)
    const chart = page.getByRole('img', { name: /^Throughput/ })
    await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/now requests [1-9][\d.]*, failures 0$/)
    await page.getByText('Batch sizes').waitFor()
  })

  test('a model is tried with the keyboard alone', async () => {
    await using opened = await open()
    const { page } = opened
    await row(page, 'alpha').waitFor()
    const focused = () => page.evaluate('document.activeElement.textContent + "|" + document.activeElement.id')
    const tabTo = async (wanted: RegExp) => {
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab')
        if (wanted.test(String(await focused()))) return
      }
      throw new Error(`no way to ${wanted} with the keyboard`)
    }
    await tabTo(/^alpha v1/)
    await page.keyboard.press('Enter')
    await page.getByLabel('INPUT0').waitFor()
    await tabTo(/\|try-input-0$/)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('[[1, 2], [3, 4.5]]')
    await tabTo(/^Run\|/)
    await page.keyboard.press('Enter')
    await page.getByText(/^Version 1 answered in /).waitFor()
    await page.getByText('2 × 2').waitFor()
    await page.getByText('1, 2, 3, 4.5', { exact: true }).waitFor()
    await page.getByText(/^The request waited .* ran alone as a batch of 2 /).waitFor()
  })

  test('a mistake is told where it was made, and what the server refuses too', async () => {
    await using opened = await open()
    const { page } = opened
    await choose(page, 'alpha')
    await page.getByLabel('INPUT0').fill('[1, 2, 3]')
    await run(page)
    await page.getByText('INPUT0: 3 values do not fit any × 2').waitFor()
    await page.getByLabel('INPUT0').fill(Array(10).fill('1, 2').join())
    await run(page)
    await page.getByText(/batch-size must be <= 4/).waitFor()
  })

  test('texts, files and integers of 64 bits arrive as they are', async () => {
    await using opened = await open()
    const { page } = opened
    await choose(page, 'text')
    await page.getByLabel('INPUT0', { exact: true }).fill('<b>bold</b> "ü"')
    await run(page)
    await page.getByText('"<b>bold</b> \\"ü\\""', { exact: true }).waitFor()
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('of a file') }
    await page.getByLabel('INPUT0 from a file').setInputFiles(file)
    await run(page)
    await page.getByText('"of a file"', { exact: true }).waitFor()
    await choose(page, 'long')
    await page.getByLabel('INPUT0').fill('9223372036854775807, -1')
    await run(page)
    await page.getByText('9223372036854775807, -1', { exact: true }).waitFor()
  })

  test('the responses of a decoupled model are listed as they come', async () => {
    await using opened = await open()
    const { page } = opened
    await choose(page, 'stream')
    await page.getByLabel('INPUT0').fill('one by one')
    await run(page)
    await page.getByText(/^1 response in /).waitFor()
    await page.getByRole('listitem').getByText('OUTPUT0: "one by one"').waitFor()
  })

  test('a model whose name is HTML does no harm', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByRole('button', { name: evil }).click()
    await page.getByRole('heading', { name: evil }).waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate('window.harmed')).toBeUndefined()
  })

  test.each(['light', 'dark'] as const)('nothing is wider than a phone, %s', async (colorScheme) => {
    await using opened = await open({ viewport: { width: 390, height: 844 }, colorScheme, hasTouch: true })
    const { page } = opened
    for (const model of ['alpha', evil]) {
      await page.getByRole('button', { name: model }).click()
      await page.getByRole('heading', { name: model }).waitFor()
      await row(page, 'broken').getByText('unable to find').waitFor()
      await page.locator('.try, .form > .error').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    }
  })

  test.each(['light', 'dark'] as const)('its texts have a contrast of 4.5 and more, %s', async (colorScheme) => {
    await using opened = await open({ colorScheme })
    const { page } = opened
    await choose(page, 'alpha')
    await page.getByLabel('INPUT0').waitFor()
    expect(Number(await page.evaluate(lowestContrast))).toBeGreaterThanOrEqual(4.5)
  })

  test('a model that is loaded anew with other inputs has a new form, another keeps what was typed', async () => {
    await using opened = await open()
    const { page } = opened
    await choose(page, 'long')
    await page.getByLabel('INPUT0').fill('1, 2')
    const asked = page.waitForResponse((response) => response.url().endsWith('/v2/models/long/config'))
    await rig.server.load('alpha', { config: JSON.stringify({ ...io('FP32', [2]), max_batch_size: 5 }) })
    await asked
    expect(await page.getByLabel('INPUT0').inputValue()).toBe('1, 2')
    await rig.server.load('long', { config: JSON.stringify(io('BOOL', [1])) })
    await page.getByRole('checkbox', { name: 'INPUT0' }).check()
    await run(page)
    await page.getByText('true', { exact: true }).waitFor()
    await rig.server.unload('text', { waitUntilUnloaded: true })
    await row(page, 'text').getByText('unloaded', { exact: true }).waitFor()
    await rig.server.load('text')
    await row(page, 'text').getByText('ready').waitFor()
  })

  test('it says when the server is gone, and goes on when it is back', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByText('Live', { exact: true }).waitFor()
    await rig.close()
    await page.getByText(/^No news since .*; trying again\.$/).waitFor()
    await rig.reopen()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('it asks for a key where one is needed, and keeps it nowhere', async () => {
    const authorize = ({ header }: AccessCall): boolean => header('authorization') === 'Bearer secret'
    await using guarded = await dashboardRig({ 'm/config.pbtxt': echoModel('FP32', '[1]'), 'm/1/': '' }, { authorize })
    await using opened = await open({}, { url: guarded.url, path: '/' })
    const { page } = opened
    await page.getByLabel('API key').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('The server does not accept this key.').waitFor()
    await page.getByLabel('API key').fill('secret')
    await page.keyboard.press('Enter')
    await row(page, 'm v1').getByText('ready').waitFor()
    await run(page)
    await page.getByText(/^Version 1 answered in /).waitFor()
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).toBe('[{},{},""]')
    await page.reload()
    await page.getByLabel('API key').waitFor()
  })

  test('a page of another site cannot make a browser run a model', async () => {
    const elsewhere = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>hi</p>'))
    elsewhere.listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    try {
      await using opened = await open(
        {},
        { url: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`, path: '/' },
      )
      const before = rig.server.statistics('alpha')[0]?.inferenceCount
      const target = JSON.stringify(`${rig.url}/v2/models/alpha/infer`)
      const body = JSON.stringify({ inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: [1, 2], data: [1, 2] }] })
      for (const mode of ['no-cors', 'cors']) {
        const options = JSON.stringify({ method: 'POST', mode, body })
        await opened.page.evaluate(`fetch(${target}, ${options}).then(() => 0, () => 0)`)
      }
      expect(rig.server.statistics('alpha')[0]?.inferenceCount).toBe(before)
    } finally {
      elsewhere.close()
    }
  })
})

/** The lowest contrast of a text with what is behind it, as WCAG 2 counts it; controls that are disabled do not count. */
const lowestContrast = `(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number)
  const light = (color) => {
    const [r, g, b] = parts(color).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor
    return parts(color)[3] === 0 ? behind(element.parentElement) : color
  }
  const texts = [...document.querySelectorAll('body *')].filter(
    (element) => element.checkVisibility() && !element.closest(':disabled, script, .skip') &&
      [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ''),
  )
  return Math.min(...texts.map((element) => {
    const [high, low] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a)
    return (high + 0.05) / (low + 0.05)
  }))
})()`
