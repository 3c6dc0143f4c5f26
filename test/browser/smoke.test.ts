import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BusyGateway, openBusyGateway } from '../support/console/open-busy-gateway.ts'
import { buildConsole } from './support/build-console.ts'
import { findCutCells, judgePage } from './support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, type VisitedConsole } from './support/open-console.ts'

let busy: BusyGateway
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  busy = await openBusyGateway({ days: 1, consoleBuild: buildConsole() })
  inBrowser = await openConsole(busy.gateway)
}, 180_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await busy?.[Symbol.asyncDispose]()
})

/** The pages that the navigation offers to a signed-in user. A narrow screen folds it away. */
async function listPages({ page, open }: VisitedConsole, count: number): Promise<readonly string[]> {
  await page.setViewportSize({ width: 1280, height: 900 })
  await open('/')
  const links = page.getByRole('navigation').getByRole('link')
  await expect.poll(() => links.count()).toBeGreaterThanOrEqual(count)
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  return addresses.map((address) => address.replace(/^\/console/, ''))
}

describe('every page of the navigation', () => {
  it.each([
    { name: 'olga', width: 1280, language: 'en', count: 14 },
    { name: 'mia', width: 360, language: 'zh-CN', count: 8 },
  ] as const)(
    'opens for $name on $width px without an error or an accessibility fault, in both themes',
    async ({ count, ...visit }) => {
      const visited = await inBrowser.visit(visit)
      const pages = await listPages(visited, count)
      await visited.page.setViewportSize({ width: visit.width, height: 800 })
      for (const path of pages) {
        await visited.open(path)
        expect(await judgePage(visited.page)).toEqual([])
        // A wide screen has long details in one line, and all of them beside the list.
        if (visit.width < 640) expect(await findCutCells(visited.page)).toEqual([])
      }
      expect(visited.faults.found).toEqual([])
    },
    180_000,
  )
})

it('the checks find the faults of a faulty page', async () => {
  const { page, faults, open } = await inBrowser.visit({ name: 'mia' })
  await open('/keys')
  await page.evaluate(() => {
    const image = document.createElement('img')
    image.src = 'data:,'
    const wide = document.createElement('p')
    wide.className = 'w-[1400px] text-ground'
    wide.textContent = 'invisible'
    wide.style.width = '1400px'
    wide.setAttribute('style', 'color: red')
    document.body.append(image, wide)
    reportError(new Error('uncaught by anybody'))
  })
  expect((await judgePage(page)).join('\n')).toMatch(/image-alt[\s\S]*wider than 1280/)
  await expect.poll(() => faults.found.join('\n')).toMatch(/policy: style-src/)
  await expect.poll(() => faults.found.join('\n')).toMatch(/uncaught: .*uncaught by anybody/)
})
