// Writes docs/console/: a picture of every page of the console in both themes, of a gateway that has served for two
// weeks. FOLDER in the environment writes them elsewhere, as PNG.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { openBusyGateway } from '../../support/console/open-busy-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { showTheme, themes } from '../support/judge-page.ts'
import { openConsole, type Visit } from '../support/open-console.ts'
import { type Picture, pictures } from './pictures.ts'

const elsewhere = process.env['FOLDER']
const folder = elsewhere ?? resolve(import.meta.dirname, '../../../docs/console')
const only = process.argv.slice(2)

await using busy = await openBusyGateway({ days: 14, requestsADay: 120, consoleBuild: buildConsole() })
await using inBrowser = await openConsole(busy.gateway)
mkdirSync(folder, { recursive: true })
for (const picture of pictures.filter(({ name }) => only.length === 0 || only.includes(name)))
  await take(picture)

async function take({ name, path, prepare, visit = {} }: Picture): Promise<void> {
  const seen: Visit = { name: 'olga', width: 1360, height: 850, ...visit }
  const { page, open } = await inBrowser.visit(seen)
  page.setDefaultTimeout(60_000)
  await open(path)
  await prepare?.(page)
  for (const theme of themes) {
    await showTheme(page, theme)
    await write(page, `${name}-${theme}`)
  }
  await page.context().close()
}

async function write(page: Page, name: string): Promise<void> {
  if (elsewhere !== undefined) {
    await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
    return
  }
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
}
