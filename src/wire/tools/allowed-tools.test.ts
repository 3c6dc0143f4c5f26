import { describe, expect, it } from 'vitest'
import { listOfferedTools, readAllowedNames } from './allowed-tools.ts'

describe('the allowed tools of a choice', () => {
  it('are named directly or by the object of their kind', () => {
    const entries = [{ name: 'a' }, { function: { name: 'b' } }, { custom: { name: 'c' } }]
    expect(readAllowedNames(entries)).toEqual(['a', 'b', 'c'])
  })

  it('are empty when an entry has no name', () => {
    expect(readAllowedNames([{ name: '' }, { function: {} }, { name: 1 }, 'a', null])).toEqual([])
  })

  it('are offered alone, in the provider’s letters, beside the tools that the provider runs', () => {
    const [name = ''] = readAllowedNames([{ name: 'get weather' }])
    const tools = [
      { type: 'function', name } as const,
      { type: 'function', name: 'other' } as const,
      { type: 'hosted', format: 'messages', value: { type: 'web_search' } } as const,
    ]
    const toolChoice = { type: 'allowed', mode: 'auto', tools: [{ name: 'get weather' }] } as const
    const chosen = listOfferedTools({ model: 'm', turns: [], stream: false, tools, toolChoice })
    expect(chosen).toEqual([tools[0], tools[2]])
  })
})
