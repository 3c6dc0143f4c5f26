import { resolve } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { Browser as Person } from '../../support/admin-browser.ts'
import type { StartedGateway } from '../../support/start-gateway.ts'
import type { Theme } from './judge-page.ts'
import { openChromium } from './open-chromium.ts'
import { type PageFaults, watchPage } from './watch-page.ts'

/** The screen, theme and language of a user. */
export interface Visit {
  /** Who is signed in, by the password of the tests; nobody where it is left out. */
  readonly name?: string | undefined
  readonly theme?: Theme
  readonly width?: number
  readonly height?: number
  readonly language?: 'en' | 'zh-CN'
  readonly timeZone?: string
}

export interface VisitedConsole {
  readonly page: Page
  readonly faults: PageFaults
  /** Opens a page of the console by its path, such as `/keys`, and waits until it shows all that it asked for. */
  open(path: string): Promise<void>
  /** Opens a page, and waits only until its own files are there. */
  go(path: string): Promise<void>
}

export interface ConsoleInBrowser extends AsyncDisposable {
  readonly browser: Browser
  /** A window of its own: nothing is shared with other visits. */
  visit(visit?: Visit): Promise<VisitedConsole>
}

/** Chromium in front of a gateway that serves the console. */
export async function openConsole(gateway: Pick<StartedGateway, 'url'>): Promise<ConsoleInBrowser> {
  const browser = await openChromium()
  return {
    browser,
    async visit(visit = {}) {
      const context = await openContext(browser, gateway, visit)
      const page = await context.newPage()
      page.setDefaultTimeout(10_000)
      // On a slow machine that runs other tests, a first page compiles for longer than an element may take to appear.
      page.setDefaultNavigationTimeout(30_000)
      const faults = await watchPage(page)
      const go = async (path: string) => {
        await page.goto(`${gateway.url}/console${path}`, { waitUntil: 'commit' })
      }
      const open = async (path: string) => {
        await page.goto(`${gateway.url}/console${path}`)
        try {
          await settle(page)
        } catch (cause) {
          const picture = await takeScreenshot(page, `unsettled-${path.replaceAll(/\W+/g, '-')}`)
          throw new Error(`${path} never settled, see ${picture}: ${faults.found.join('\n')}`, { cause })
        }
      }
      return { page, faults, open, go }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

async function openContext(
  browser: Browser,
  gateway: Pick<StartedGateway, 'url'>,
  { name, theme = 'light', width = 1280, height = 900, language = 'en', timeZone = 'Europe/Berlin' }: Visit,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: language,
    timezoneId: timeZone,
  })
  if (name === undefined) return context
  const person = new Person(gateway)
  const { status } = await person.signIn(name)
  if (status !== 200 || person.cookie === undefined) throw new Error(`${name} cannot sign in: ${status}`)
  const [cookieName = '', value = ''] = person.cookie.split(/=(.*)/s)
  await context.addCookies([
    { name: cookieName, value, url: gateway.url, httpOnly: true, sameSite: 'Strict' },
  ])
  return context
}

/** Waits until a page has its heading and shows nothing that is on its way. A live page asks on, and is not waited for. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
}

const screenshotFolder = resolve(import.meta.dirname, '../../../node_modules/.cache/screenshots')

/** Keeps a picture of a page for the engineer who looks into a failure, and returns its path. */
export async function takeScreenshot(page: Page, name: string): Promise<string> {
  const path = `${screenshotFolder}/${name}.png`
  await page.screenshot({ path, animations: 'disabled' })
  return path
}
