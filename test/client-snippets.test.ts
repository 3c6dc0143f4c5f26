import { describe, expect, it } from 'vitest'
import { documentedUrl, readSnippet } from './clients/framework-suite/read-snippet.ts'
import { frameworkNames } from './clients/frameworks/framework-names.ts'

/** `npm run test:clients` runs the code itself, with the libraries installed. */
describe('the page of the clients', () => {
  it.each(frameworkNames)('has at most ten lines of code for %s, with the address and the key', (name) => {
    const code = readSnippet(name)
    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
    expect(code).toContain(documentedUrl)
    expect(code).toContain('process.env.HEADGATE_KEY')
  })
})
