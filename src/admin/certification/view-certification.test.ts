import { expect, it } from 'vitest'
import type { Certification } from './certification-store.ts'
import { viewCertification } from './view-certification.ts'

const running: Certification = {
  id: 'cert_1',
  channel: 'c',
  model: 'm',
  upstreamModel: 'm',
  state: 'running',
  author: 'anna',
  startedAtMs: 0,
  endedAtMs: undefined,
  updatedAtMs: 60_000,
  checks: ['chat', 'tools'],
  results: [
    { check: 'chat', outcome: 'works', finding: 'word_repeated', details: {}, evidence: [], durationMs: 1 },
  ],
  estimatedCost: undefined,
  cost: undefined,
}

it('shows a certification as interrupted when its process has been silent for two minutes', () => {
  expect(viewCertification(running, 180_000).state).toBe('running')
  const view = viewCertification(running, 180_001)
  expect(view.state).toBe('interrupted')
  expect(view.results.map(({ check, finding }) => [check, finding])).toEqual([
    ['chat', 'word_repeated'],
    ['tools', 'interrupted'],
  ])
})

it('shows results in the order of the checks, each with a sentence', () => {
  const [chat] = running.results
  const first = { check: 'first_token', outcome: 'works', finding: 'first_token' } as const
  const results = [
    { ...first, details: { median_ms: 40, calls: 3 }, evidence: [], durationMs: 5 },
    chat,
  ].flatMap((result) => result ?? [])
  const view = viewCertification({ ...running, results }, 60_000)
  expect(view.results.map(({ message }) => message)).toEqual([
    'It repeated the word that it was given.',
    'The first token comes after 40 ms, the median of 3.',
  ])
})
