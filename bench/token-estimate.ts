// The time that the estimate of input tokens takes for 400 KB of text: the median and the slowest of 200 runs.

import { estimateInputTokens } from '../src/canonical/input-size/estimate-input-tokens.ts'
import { vocabularies } from '../src/canonical/input-size/token-vocabulary.ts'
import { readRequest } from '../src/wire/chat/request/read-request.ts'
import { quantile } from './median.ts'

const RUNS = 200
const text = 'The quick brown fox, 12 jumps over "lazy" dogs.\n'.repeat(8_400)
const request = readRequest({ model: 'm', messages: [{ role: 'user', content: text }] })
const times = Array.from({ length: RUNS }, () => {
  const startedAtMs = performance.now()
  estimateInputTokens(request, vocabularies.gpt)
  return performance.now() - startedAtMs
})
process.stdout.write(
  `median ${quantile(times, 0.5).toFixed(2)} ms, slowest ${quantile(times, 1).toFixed(2)} ms\n`,
)
