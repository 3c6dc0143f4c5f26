import type { Page } from 'playwright-core'
import type { ConsoleInBrowser, VisitedConsole } from '../support/open-console.ts'
import { readProcessorTime } from './read-processor-time.ts'

export interface PageTimes {
  readonly path: string
  /** Milliseconds from the navigation of a fresh browser, and from the click of one that was there before. */
  readonly cold: number[]
  readonly warm: number[]
  /** Milliseconds of processor time that the gateway and the browser used when it was cold. */
  readonly processor: number[]
  /** The longest calls of the admin API when it was cold. */
  readonly calls: Map<string, number>
}

/** Opens every page by itself in a fresh browser, then goes through all of them by the navigation, twice. */
export async function measurePages(
  inBrowser: ConsoleInBrowser,
  rounds: number,
): Promise<readonly PageTimes[]> {
  const times = (await listPages(await inBrowser.visit({ name: 'olga' }))).map(
    (path): PageTimes => ({ path, cold: [], warm: [], processor: [], calls: new Map() }),
  )
  for (let round = 0; round < rounds; round += 1) {
    for (const each of times) await measureCold(inBrowser, each)
    await measureWarm(inBrowser, times)
  }
  return times
}

async function listPages({ page, open }: VisitedConsole): Promise<readonly string[]> {
  await open('/')
  const links = page.getByRole('navigation').getByRole('link')
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  await page.context().close()
  return addresses.map((address) => address.replace(/^\/console/, ''))
}

async function measureCold(
  inBrowser: ConsoleInBrowser,
  { path, cold, processor, calls }: PageTimes,
): Promise<void> {
  const { page, go } = await inBrowser.visit({ name: 'olga' })
  const before = readProcessorTime()
  await go(path)
  cold.push(await untilInteractive(page))
  processor.push(readProcessorTime() - before)
  const entries = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name, duration }) => [name, duration] as const),
  )
  for (const [name, duration] of entries) {
    const call = /\/admin\/v1(.*)/.exec(decodeURIComponent(name))?.[1]
    if (call !== undefined) calls.set(call, Math.max(calls.get(call) ?? 0, duration))
  }
  await page.context().close()
}

async function measureWarm(inBrowser: ConsoleInBrowser, times: readonly PageTimes[]): Promise<void> {
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  await open('/')
  for (const isMeasured of [false, true]) {
    for (const { path, warm } of times.toReversed()) {
      const elapsed = await page.evaluate(goByLink, `/console${path}`)
      if (isMeasured) warm.push(elapsed)
    }
  }
  await page.context().close()
}

/** Milliseconds from the beginning of the navigation until the page shows what it is for. */
async function untilInteractive(page: Page): Promise<number> {
  const found = await page.waitForFunction(
    () =>
      document.querySelector('main h1') !== null &&
      document.querySelector('[aria-busy="true"]') === null &&
      performance.now(),
    undefined,
    { timeout: 60_000 },
  )
  return Number(await found.jsonValue())
}

/** Runs in the page: clicks a link of the navigation, and waits for the frame in which its page shows all. */
async function goByLink(address: string): Promise<number> {
  const link = document.querySelector<HTMLElement>(`nav a[href="${address}"]`)
  const before = document.querySelector('main h1')?.textContent
  const start = performance.now()
  link?.click()
  const isShown = () =>
    location.pathname === address &&
    document.querySelector('main h1')?.textContent !== before &&
    document.querySelector('[aria-busy="true"]') === null
  while (!isShown()) {
    if (performance.now() - start > 30_000) throw new Error(`${address} never showed`)
    await new Promise(requestAnimationFrame)
  }
  return performance.now() - start
}
