import { expect, it } from 'vitest'
import { saidBy } from './stream-items.ts'

const unspeakable = { toString: 1 }

it.each([
  [{ type: 'function_call', name: 'f', arguments: '{}' }, 'f {}'],
  [{ type: 'custom_tool_call', name: 'f', input: 'x' }, 'f x'],
  [{ type: 'custom_tool_call', name: unspeakable, arguments: unspeakable, input: 'x' }, ' x'],
  [{ type: 'function_call', name: unspeakable, arguments: unspeakable }, ''],
])('the content of %j is %j', (item, said) => {
  expect(saidBy(item)).toBe(said)
})
