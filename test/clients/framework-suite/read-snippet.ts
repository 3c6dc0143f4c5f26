import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type FrameworkName, frameworkHeadings } from '../frameworks/framework-names.ts'

const page = resolve(import.meta.dirname, '../../../docs/clients.md')

/** The address that the documents use for the gateway. */
export const documentedUrl = 'http://127.0.0.1:8080'

/** The code that docs/clients.md gives for a library. */
export function readSnippet(name: FrameworkName): string {
  const heading = `## ${frameworkHeadings[name]}\n`
  const sections = readFileSync(page, 'utf8').split(/^(?=## )/m)
  const code = sections.find((each) => each.startsWith(heading))?.match(/^```ts\n([\s\S]*?)^```/m)?.[1]
  if (code === undefined) throw new Error(`docs/clients.md has no code under "${heading.trim()}"`)
  return code
}
