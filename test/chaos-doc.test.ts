import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { renderChaosDocs } from '../scripts/render-chaos-docs.ts'
import { faultSchema } from '../tools/chaos/script/fault-schema.ts'
import { proxyScriptSchema } from '../tools/chaos/script/proxy-script-schema.ts'
import { connectionFaultSchema, upstreamScriptSchema } from '../tools/chaos/script/script-schema.ts'

const page = readFileSync(new URL('../docs/chaos.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match): unknown => parse(match[1] ?? ''))

describe('the page of chaos', () => {
  it('has the same table of ready-made scripts as the source', () => {
    expect(page).toBe(renderChaosDocs(page))
  })

  it('explains every name that a script can contain', () => {
    const names = [
      ...Object.keys(upstreamScriptSchema.shape),
      ...Object.keys(faultSchema.shape),
      ...Object.keys(connectionFaultSchema.shape),
    ]
    expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
  })

  it('shows scripts that are valid', () => {
    const [, upstream, proxy] = examples
    expect(upstreamScriptSchema.safeParse(upstream).error).toBeUndefined()
    expect(proxyScriptSchema.safeParse(proxy).error).toBeUndefined()
  })
})
