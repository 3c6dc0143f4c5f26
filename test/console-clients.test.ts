import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it } from 'vitest'
import { clientNames, writeClientSettings } from '../console/src/pages/connect/client-settings.ts'

const documented = readFileSync(new URL('../docs/clients.md', import.meta.url), 'utf8')
const target = { address: 'http://127.0.0.1:8080', model: 'demo-chat' }

describe('the settings of clients in the console', () => {
  it.each(clientNames)('equal those of the documentation for %s', (client) => {
    const settings = writeClientSettings(client, target)
    expect(settings.length).toBeGreaterThan(0)
    for (const { text } of settings) expect(documented).toContain(text)
  })

  it.each(clientNames)('have the address and the model of the page for %s', (client) => {
    const [{ text } = { text: '' }] = writeClientSettings(client, {
      address: 'https://models.example.com',
      model: 'fast',
    })
    expect(text).toContain('https://models.example.com')
    expect(text).toContain('fast')
    expect(text).not.toContain('127.0.0.1')
    expect(text).not.toContain('demo-chat')
  })

  describe.each(['my model', "l'ours", 'a"b', 'back\\slash', 'claude[1m]', '$HOME `id` #1', '中文'])(
    'for %s',
    (model) => {
      const linesOf = (client: (typeof clientNames)[number]) =>
        writeClientSettings(client, { ...target, model }).map(({ text }) => text)

      it('are lines of a shell that hand the name on as it is', () => {
        for (const client of ['claude-code', 'gemini-cli', 'opencode', 'curl'] as const) {
          const script = `claude() { printf '%s\\n' "$@" "$ANTHROPIC_DEFAULT_HAIKU_MODEL"; }
gemini() { printf '%s\\n' "$@"; }
opencode() { printf '%s\\n' "$@"; }
curl() { printf '%s\\n' "$@"; }
${linesOf(client).at(-1)}`
          const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n')
          if (client === 'curl') {
            const body = words.find((word) => word.startsWith('{')) ?? ''
            expect(JSON.parse(body)).toMatchObject({ model })
          } else expect(words).toContain(client === 'opencode' ? `headgate/${model}` : model)
          if (client === 'claude-code') expect(words.filter((word) => word === model)).toHaveLength(2)
        }
      })

      it('are files that name it', () => {
        const [opencode = ''] = linesOf('opencode')
        expect(JSON.parse(opencode)).toMatchObject({
          provider: { headgate: { models: { [model]: {} } } },
          small_model: `headgate/${model}`,
        })
        expect(linesOf('codex')[0]).toContain(`model = ${JSON.stringify(model)}\n`)
      })

      it('are code that names it', () => {
        for (const client of ['openai-ts', 'anthropic-ts', 'ai-sdk', 'google-ts'] as const) {
          const [code = ''] = linesOf(client)
          expect(stripTypeScriptTypes(code)).toBe(code)
          const quoted = /(?:model: |headgate\()('(?:[^'\\]|\\.)*')/.exec(code)?.[1] ?? ''
          expect(new Function(`return ${quoted}`)()).toBe(model)
        }
        for (const client of ['openai-python', 'anthropic-python'] as const)
          expect(linesOf(client)[0]).toContain(`model=${JSON.stringify(model)},`)
      })
    },
  )
})
