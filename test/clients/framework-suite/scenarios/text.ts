import { deepEqual, equal, ok } from 'node:assert/strict'
import type { AgentFormat } from '../../../support/agent/speech.ts'
import type { FrameworkUsage } from '../../frameworks/framework.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'
import { usageOf } from '../strict-upstream.ts'

const prompt = 'Say "what" you \\see: \u6f22\u5b57 \u{1f680}'
const words =
  'I see "quoted" back\\slash,\n\u00fcml\u00e4ute, e\u0301, \u6f22\u5b57 and \u{1f468}\u200d\u{1f469}\u200d\u{1f467}.'

export const text: FrameworkScenario = {
  name: 'text',
  async run({ open, channelFormat }) {
    await using bench = await open(() => ({ text: words }))
    const answer = await bench.client.ask(prompt)
    equal(answer.text, words)
    ok(bench.upstream.heard[0]?.request.body.includes(JSON.stringify(prompt)), 'the prompt arrived otherwise')
    if (answer.usage !== undefined) deepEqual(answer.usage, totalUsage(channelFormat))
  },
}

/** The usage of an answer by the upstream's word, as a client counts it. */
export function totalUsage(channelFormat: AgentFormat): FrameworkUsage {
  const { freshInput, cacheRead, cacheWrite, output } = usageOf(channelFormat)
  return { input: freshInput + cacheRead + cacheWrite, output }
}
