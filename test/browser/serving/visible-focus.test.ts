import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

const KEYS = 12
const MAX_STOPS = 70

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
  for (let number = 0; number < KEYS; number += 1) {
    const made = await owned.owner.ask('POST', '/keys', { name: `key-${number}` })
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  }
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

interface Stop {
  readonly name: string
  /** Whether nothing lies above the middle of what has the focus. A region larger than the screen has none. */
  readonly isVisible: boolean
}

/** What has the focus, or undefined once the keyboard has left the page or is where it began. */
const readStop = (page: Page): Promise<Stop | undefined> =>
  page.evaluate(() => {
    const focused = document.activeElement
    if (focused === null || focused === document.body || focused.hasAttribute('data-seen')) return undefined
    focused.setAttribute('data-seen', '')
    const shown = focused.closest('label') ?? focused
    const { left, top, width, height } = shown.getBoundingClientRect()
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    const name = `${focused.tagName} ${focused.getAttribute('aria-label') ?? focused.textContent ?? ''}`
    return { name: name.slice(0, 60), isVisible: height > innerHeight / 2 || shown.contains(hit) }
  })

async function findHidden(page: Page, key: 'Tab' | 'Shift+Tab'): Promise<readonly string[]> {
  const hidden: string[] = []
  for (let pressed = 0; pressed < MAX_STOPS; pressed += 1) {
    await page.keyboard.press(key)
    const stop = await readStop(page)
    if (stop === undefined) return hidden
    if (!stop.isVisible) hidden.push(`${key}: ${stop.name}`)
  }
  return hidden
}

it.each([
  { width: 640, height: 400, path: '/keys' },
  { width: 640, height: 400, path: '/settings?tab=settings' },
  { width: 640, height: 400, path: '/playground' },
] as const)(
  'what the keyboard reaches on $path lies under no bar on $width by $height px, down and up the page',
  async ({ width, height, path }) => {
    const { page, open } = await owned.inBrowser.visit({ name: 'olga', width, height })
    await open(path)
    const down = await findHidden(page, 'Tab')
    await open(path)
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    expect([...down, ...(await findHidden(page, 'Shift+Tab'))]).toEqual([])
  },
)
