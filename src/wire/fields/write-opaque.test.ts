import { describe, expect, it } from 'vitest'
import { createLossList } from '../../canonical/loss.ts'
import { loseHostedTool, writeOpaque } from './write-opaque.ts'

describe('a block of one format alone', () => {
  const value = { type: 'container_upload', file_id: 'f' }

  it('passes unchanged into its own format', () => {
    const losses = createLossList()
    expect(writeOpaque({ type: 'opaque', format: 'messages', value }, 'messages', losses)).toBe(value)
    expect(losses.all).toEqual([])
  })

  it.each([
    [{ value, name: 'upload' }, 'upload'],
    [{ value }, 'container_upload'],
    [{ value: {} }, 'unknown'],
  ])('is lost in any other by its name, else its kind: %j', (block, field) => {
    const losses = createLossList()
    expect(writeOpaque({ type: 'opaque', format: 'messages', ...block }, 'chat', losses)).toBeUndefined()
    expect(losses.all).toEqual([{ feature: 'foreign-block', kind: 'dropped', field }])
  })
})

it.each([
  [{ type: 'web_search_20250305', name: 'web_search' }, ['web_search_20250305']],
  [{ googleSearch: {}, urlContext: {} }, ['googleSearch', 'urlContext']],
  [{ systemTool: { name: 'nova_grounding' } }, ['systemTool']],
  [{}, ['unknown']],
])('a tool that the provider runs is lost by its type, else by its field: %j', (value, fields) => {
  const losses = createLossList()
  loseHostedTool(value, losses)
  expect(losses.all).toEqual(fields.map((field) => ({ feature: 'foreign-tool', kind: 'dropped', field })))
})
