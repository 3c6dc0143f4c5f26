import { expect, it } from 'vitest'
import { findDownReason, type HealthPart } from './find-down-reason.ts'

function part(scope: HealthPart['scope'], more: Partial<HealthPart> = {}): HealthPart {
  return {
    scope,
    credentialId: undefined,
    upstreamModel: undefined,
    state: 'open',
    reason: 'overloaded',
    ...more,
  }
}

const down = (parts: readonly HealthPart[], credentials = 2) => findDownReason(parts, credentials)

it('is the reason of the whole channel before the reason of a part', () => {
  expect(down([part('credential', { credentialId: 'a' }), part('channel', { reason: 'unreachable' })])).toBe(
    'unreachable',
  )
})

it('is a reason of the credentials if all of them are out of rotation, including one in a half-open probe', () => {
  const first = part('credential', { credentialId: 'a' })
  expect(down([first])).toBeUndefined()
  expect(down([first, part('credential', { credentialId: 'b', state: 'half-open' })])).toBe('overloaded')
})

it('is a reason of the models if every requested model is out of rotation with every credential that was tried', () => {
  const model = part('model', { upstreamModel: 'm', credentialId: 'a' })
  const other = part('model', { upstreamModel: 'n', credentialId: 'b', state: 'healthy' })
  expect(down([model])).toBe('overloaded')
  expect(down([model, other])).toBeUndefined()
  expect(down([model, other, part('credential', { credentialId: 'b', reason: 'timeout' })])).toBe('timeout')
})

it('is undefined if any part serves requests', () => {
  expect(down([])).toBeUndefined()
  expect(down([part('channel', { state: 'degraded' })])).toBeUndefined()
})

it('is undefined if every problem has its own alert, and otherwise is the temporary reason', () => {
  const refused = part('credential', { credentialId: 'a', reason: 'refused' })
  expect(down([refused, part('credential', { credentialId: 'b', reason: 'out-of-credit' })])).toBeUndefined()
  expect(down([refused, part('credential', { credentialId: 'b', reason: 'timeout' })])).toBe('timeout')
  expect(down([part('channel', { reason: undefined })])).toBe('failing')
})
