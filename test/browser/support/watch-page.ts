import type { Page } from 'playwright-core'

/** What a page did that no page may do. */
export interface PageFaults {
  /** Errors and warnings of the browser's console, uncaught errors, breaches of the policy, answers of 500 and more. */
  readonly found: readonly string[]
  /** Answers below 500 that a test provokes are errors to the browser; those that match are ignored. */
  expect(pattern: RegExp): void
}

/** Watches a page from before its first script on. */
export async function watchPage(page: Page): Promise<PageFaults> {
  const all: string[] = []
  const expected: RegExp[] = []
  const add = (fault: string) => all.push(`${new URL(page.url()).pathname}: ${fault}`)
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    add(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => add(`uncaught: ${error.stack ?? error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 500) add(`${response.status()} ${response.url()}`)
  })
  await page.exposeFunction('reportBreach', (breach: string) => add(`policy: ${breach}`))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report: unknown = Reflect.get(window, 'reportBreach')
      const { violatedDirective, blockedURI, sourceFile, lineNumber, sample } = event
      if (typeof report === 'function')
        report(`${violatedDirective} ${blockedURI} at ${sourceFile}:${lineNumber} ${sample}`)
    })
  })
  return {
    get found() {
      return all.filter((fault) => !expected.some((pattern) => pattern.test(fault)))
    },
    expect: (pattern) => void expected.push(pattern),
  }
}
