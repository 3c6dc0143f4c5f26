import { expect, test } from 'vitest'
import type { JsonObject } from '../../kit/json/json.ts'
import { readUsage } from './values/read-usage.ts'

const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 }
const search = { type: 'web_search_call', action: { type: 'search', query: 'q' } }
const opened = { type: 'web_search_call', action: { type: 'open_page', url: 'https://example.com' } }
const ran = { type: 'code_interpreter_call', container_id: 'cntr_1' }
const typed = { type: 'shell_call', environment: { type: 'container_reference', container_id: 'cntr_2' } }
const made = { type: 'image_generation_call', result: 'aW1n' }

test.each([
  ['each search of the web', { output: [search, opened, search] }, { web_search: 2 }],
  ['a search that does not say what it did', { output: [{ type: 'web_search_call' }] }, { web_search: 1 }],
  [
    'what is stated, over what is shown',
    { output: [search, search], tool_usage: { web_search: { num_requests: 1 } } },
    { web_search: 1 },
  ],
  ['each search of files', { output: [{ type: 'file_search_call' }] }, { file_search: 1 }],
  [
    'each image that was made',
    {
      output: [made, { ...made, status: 'failed' }, { ...made, status: 'completed' }],
      tool_usage: { image_gen: { total_tokens: 4_000 } },
    },
    { image_generation: 2 },
  ],
  [
    'each container in which it ran code',
    { output: [ran, ran, { ...ran, container_id: 'cntr_3' }] },
    { code_interpreter: 2 },
  ],
  ['each container of its shell', { output: [typed, typed] }, { shell: 1 }],
  [
    'nothing for the caller’s own tools',
    { output: [{ type: 'function_call' }, { type: 'shell_call', environment: { type: 'local' } }] },
    {},
  ],
] satisfies [string, JsonObject, object][])('an answer is billed for %s', (_, response, calls) => {
  expect(readUsage({ ...response, usage })?.toolCalls).toEqual(calls)
})

test('the tool usage that xAI reports is not counted again from the output', () => {
  const stated = { ...usage, server_side_tool_usage_details: { web_search_calls: 3 } }
  expect(readUsage({ usage: stated, output: [search] })?.toolCalls).toEqual({ web_search: 3 })
})
