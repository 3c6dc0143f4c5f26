import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { type ConsoleInBrowser, openConsole, settle } from '../support/open-console.ts'

let gateway: StartedGateway
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\ngroups: { search: { models: ["*"] } }\n'
  gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  inBrowser = await openConsole(gateway)
}, 120_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

/** The longest animation and transition of anything that a page shows, in milliseconds. */
function findLongest(page: Page): Promise<number> {
  return page.evaluate(() => {
    const read = (text: string) =>
      Math.max(
        ...text.split(',').map((each) => Number.parseFloat(each) * (each.trim().endsWith('ms') ? 1 : 1_000)),
      )
    const styles = [...document.querySelectorAll('*')].flatMap((element) =>
      [null, '::before', '::after'].map((part) => getComputedStyle(element, part)),
    )
    return Math.max(
      ...styles.flatMap(({ animationName, animationDuration, transitionDuration }) => [
        animationName === 'none' ? 0 : read(animationDuration),
        read(transitionDuration),
      ]),
    )
  })
}

/** Addresses of pages, some with what is open on them. */
const paths = [
  '/',
  '/requests',
  '/keys',
  '/users?invite=true',
  '/groups?group=search',
  '/channels',
  '/settings',
]

it('nothing moves for a viewer who prefers reduced motion, and things do for others', async () => {
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  for (const path of paths) {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open(path)
    expect(await findLongest(page), path).toBeLessThanOrEqual(0.01)
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe('auto')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await settle(page)
    expect(await findLongest(page), path).toBeGreaterThan(50)
  }
  expect(faults.found).toEqual([])
}, 90_000)
