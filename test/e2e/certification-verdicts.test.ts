import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import {
  type Admin,
  certifyChannel,
  findingsOf,
  openCheckedGateway,
} from '../support/certification/certify-channel.ts'

const good = {
  chat: 'works word_repeated',
  stream: 'works streamed',
  tools: 'works result_used',
  parallel_tools: 'works calls_together',
  images: 'works image_seen',
  documents: 'works document_read',
  json_schema: 'works fits_schema',
  prompt_cache: 'works cache_read',
  usage: 'works usage_fits',
  first_token: 'works first_token',
}

/** Channels that can do everything, and what their formats do not offer. */
const goodChannels = [
  {
    format: 'chat',
    more: {
      reasoning: 'not_offered no_field',
      embeddings: 'works vectors_given',
      token_counts: 'not_offered no_endpoint',
    },
  },
  {
    format: 'messages',
    provider: 'anthropic',
    upstreamModel: 'claude-sonnet-4-5',
    more: {
      reasoning: 'works reasoning_accepted',
      embeddings: 'not_offered no_embeddings',
      token_counts: 'works count_fits',
    },
  },
  {
    format: 'responses',
    provider: 'openai',
    upstreamModel: 'gpt-5',
    more: {
      reasoning: 'works reasoning_accepted',
      embeddings: 'not_offered no_embeddings',
      token_counts: 'not_offered no_endpoint',
    },
  },
  {
    format: 'gemini',
    upstreamModel: 'gemini-2.5-pro',
    more: {
      reasoning: 'works reasoning_accepted',
      embeddings: 'works vectors_given',
      token_counts: 'works count_fits',
    },
  },
] as const

const claude = { format: 'messages', provider: 'anthropic', upstreamModel: 'claude-sonnet-4-5' } as const
const chat = { format: 'chat' } as const

const brokenChannels = [
  { check: 'chat', fault: 'forgets-the-word', found: 'does_not_work word_missing', of: chat },
  { check: 'chat', fault: 'says-nothing', found: 'does_not_work no_text', of: chat },
  { check: 'chat', fault: 'fails', found: 'does_not_work refused', of: chat },
  { check: 'chat', fault: 'is-overloaded', found: 'not_tried unanswered', of: chat },
  { check: 'stream', fault: 'holds-the-stream-back', found: 'does_not_work buffered', of: chat },
  { check: 'stream', fault: 'streams-one-piece', found: 'does_not_work few_events', of: chat },
  { check: 'stream', fault: 'cuts-the-stream', found: 'does_not_work refused', of: chat },
  { check: 'tools', fault: 'ignores-tools', found: 'does_not_work no_call', of: chat },
  { check: 'tools', fault: 'calls-another-tool', found: 'does_not_work other_tool', of: chat },
  { check: 'tools', fault: 'writes-bad-arguments', found: 'does_not_work bad_arguments', of: chat },
  { check: 'tools', fault: 'ignores-results', found: 'does_not_work result_ignored', of: chat },
  { check: 'parallel_tools', fault: 'ignores-tools', found: 'does_not_work no_call', of: chat },
  { check: 'parallel_tools', fault: 'calls-one-at-a-time', found: 'does_not_work one_call', of: chat },
  { check: 'parallel_tools', fault: 'writes-bad-arguments', found: 'does_not_work bad_arguments', of: chat },
  { check: 'images', fault: 'refuses-images', found: 'does_not_work refused', of: chat },
  { check: 'images', fault: 'sees-nothing', found: 'does_not_work image_not_seen', of: chat },
  { check: 'documents', fault: 'sees-nothing', found: 'does_not_work document_not_read', of: chat },
  { check: 'json_schema', fault: 'drops-the-schema', found: 'does_not_work not_json', of: chat },
  { check: 'json_schema', fault: 'changes-the-schema', found: 'does_not_work other_shape', of: chat },
  { check: 'reasoning', fault: 'refuses-reasoning', found: 'does_not_work reasoning_refused', of: claude },
  { check: 'reasoning', fault: 'does-not-reason', found: 'does_not_work no_reasoning', of: claude },
  { check: 'reasoning', fault: 'hides-reasoning', found: 'not_offered reasoning_hidden', of: claude },
  { check: 'prompt_cache', fault: 'never-caches', found: 'does_not_work cache_not_read', of: claude },
  { check: 'prompt_cache', fault: 'reports-no-usage', found: 'does_not_work no_usage', of: chat },
  { check: 'embeddings', fault: 'gives-one-vector', found: 'does_not_work refused', of: chat },
  { check: 'embeddings', fault: 'gives-equal-vectors', found: 'does_not_work vectors_alike', of: chat },
  { check: 'embeddings', fault: 'gives-empty-vectors', found: 'does_not_work vectors_broken', of: chat },
  { check: 'embeddings', fault: 'has-no-vectors', found: 'not_offered no_embeddings', of: chat },
  { check: 'token_counts', fault: 'miscounts', found: 'does_not_work count_differs', of: claude },
  { check: 'usage', fault: 'invents-input', found: 'does_not_work input_far', of: chat },
  { check: 'usage', fault: 'invents-output', found: 'does_not_work output_far', of: chat },
  { check: 'usage', fault: 'counts-streams-twice', found: 'does_not_work stream_differs', of: chat },
  { check: 'usage', fault: 'reports-no-usage', found: 'does_not_work no_usage', of: chat },
  { check: 'first_token', fault: 'fails', found: 'does_not_work refused', of: chat },
] as const

const cleanup = new AsyncDisposableStack()
let admin: Admin

beforeAll(async () => {
  const broken = brokenChannels.map(({ fault, of }) => ({ ...of, faults: [fault] }))
  const gateway = await openCheckedGateway([...goodChannels, ...broken], cleanup)
  admin = createAskAdmin(gateway.url)
})

afterAll(() => cleanup.disposeAsync())

describe('a certification', () => {
  it.each(goodChannels.map((channel, index) => ({ ...channel, name: `c${index}` })))(
    'finds that everything that the $format format offers works',
    async ({ name, more }) => {
      const view = await certifyChannel(admin, name)
      expect(findingsOf(view), JSON.stringify(view.results, null, 1)).toEqual({ ...good, ...more })
    },
  )

  it.each(brokenChannels.map((channel, index) => ({ ...channel, name: `c${goodChannels.length + index}` })))(
    'finds with the check $check that an upstream $fault',
    async ({ name, check, found }) => {
      const view = await certifyChannel(admin, name, [check])
      expect(findingsOf(view), JSON.stringify(view.results)).toEqual({ [check]: found })
    },
  )

  it('tries only embeddings if the model does not answer', async () => {
    const silent = brokenChannels.findIndex(({ fault }) => fault === 'says-nothing')
    const channel = `c${goodChannels.length + silent}`
    expect(findingsOf(await certifyChannel(admin, channel, ['chat', 'tools', 'embeddings']))).toEqual({
      chat: 'does_not_work no_text',
      tools: 'not_tried needs_chat',
      embeddings: 'works vectors_given',
    })
  })
})
