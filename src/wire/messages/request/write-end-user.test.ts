import { expect, it } from 'vitest'
import { createLossList } from '../../../canonical/loss.ts'
import { writeEndUser } from './write-end-user.ts'

it.each(['user-7f3a', '{"session":"s1"}', '12345', 'a'.repeat(256)])('an end user id passes: %s', (id) => {
  const losses = createLossList()
  expect(writeEndUser(id, losses)).toEqual({ metadata: { user_id: id } })
  expect(losses.all).toEqual([])
})

it.each(['alice@example.com', '+49 (30) 1234-567', '015112345678', 'a'.repeat(257)])(
  'an id that the provider would refuse is left out, declared: %s',
  (id) => {
    const losses = createLossList()
    expect(writeEndUser(id, losses)).toEqual({})
    expect(losses.all).toEqual([{ feature: 'end-user', kind: 'dropped' }])
  },
)
