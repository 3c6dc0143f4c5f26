import { readFileSync } from 'node:fs'
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
})
