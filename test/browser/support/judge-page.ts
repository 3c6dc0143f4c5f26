import axe from 'axe-core'
import type { Page } from 'playwright-core'

export const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Everything wrong with a page as it shows now, for a user who cannot see it well or has a narrow screen. */
export async function judgePage(page: Page): Promise<readonly string[]> {
  const problems: string[] = []
  await waitForLayers(page)
  for (const theme of themes) {
    await showTheme(page, theme)
    problems.push(...(await findBarriers(page)).map((problem) => `${theme}: ${problem}`))
  }
  return [...problems, ...(await findOverflow(page))]
}

/** Waits until what lay under a dialog is open to screen readers again, which follows the end of the dialog. */
async function waitForLayers(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('[data-aria-hidden="true"]') === null ||
      document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null,
  )
}

/**
 * Shows a page in a theme, as the system of its viewer would ask for it, once what was about to appear is there. All
 * colours change in one frame.
 */
export async function showTheme(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  // The browser takes it up with one of the next frames.
  await page.waitForFunction(
    (asked) => getComputedStyle(document.documentElement).colorScheme === asked,
    theme,
  )
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
}

/** The rules of axe-core for WCAG 2.2 A and AA and its best practices, those that are not met by what is shown. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { run }: typeof axe = Reflect.get(window, 'axe')
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return (await run(document, { runOnly: tags, resultTypes: ['violations'] })).violations
  })
  const path = new URL(page.url()).pathname
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${path}: ${id}: ${help}: ${html} ${failureSummary ?? ''}`),
  )
}

/** The cells of tables whose text does not fit, and is cut. */
export async function findCutCells(page: Page): Promise<readonly string[]> {
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('td > div')].flatMap((cell) => {
      const { clientWidth, scrollWidth, clientHeight, scrollHeight, textContent } = cell
      return scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 3 ? [textContent ?? ''] : []
    }),
  )
  return cut.map((text) => `${new URL(page.url()).pathname}: cut: ${text}`)
}

/** A page never scrolls sideways; a table or a text within it may. */
export async function findOverflow(page: Page): Promise<readonly string[]> {
  const { widest, width } = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    const beyond = [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}`)
    return {
      width: clientWidth,
      widest: scrollWidth > clientWidth ? [scrollWidth, ...beyond.slice(0, 5)] : [],
    }
  })
  if (widest.length === 0) return []
  return [`${new URL(page.url()).pathname}: wider than ${width}: ${widest.join(', ')}`]
}
