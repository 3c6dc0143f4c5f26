import { describe, expect, it } from 'vitest'
import { countPauses } from '../../../test/support/count-pauses.ts'
import { findProvider, openConversation } from '../../../test/support/open-conversation-lane.ts'
import { SEALED_PREFIX } from '../../canonical/carried-reasoning.ts'
import { isOpenedInSteps, openLane, openLaneInSteps } from './open-lane.ts'

const sealed = `${SEALED_PREFIX}abc`
const asked = { role: 'user', content: 'Hi' }

describe('a large body', () => {
  const turn = (index: number) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: 'a' })
  const large = (more: object = {}) =>
    JSON.stringify({
      model: 'm',
      messages: Array.from({ length: 8_001 }, (_, index) => turn(index)),
      ...more,
    })
  const open = (channelFormat: 'chat' | 'converse', body: string) => {
    const provider = findProvider(channelFormat === 'chat' ? 'openai' : 'bedrock')
    return openConversation({ provider, format: 'chat', channelFormat, body })
  }

  it('is read and written in steps with the same result as in one', () => {
    const { exchange, candidate, dependencies } = open('converse', large())
    expect(isOpenedInSteps(exchange, candidate, dependencies)).toBe(true)
    expect(countPauses(exchange.readSteps()).pauses).toBeGreaterThan(8)
    const { value, pauses } = countPauses(openLaneInSteps(exchange, candidate, dependencies))
    expect(pauses).toBeGreaterThan(8)
    const whole = openLane(exchange, candidate, dependencies)
    expect(value.type === 'call' && value.lane.body).toEqual(whole.type === 'call' && whole.lane.body)
  })

  it('is sent unchanged if the channel accepts it, unless it may hold reasoning that another account signed', () => {
    const asItIs = open('chat', large())
    expect(isOpenedInSteps(asItIs.exchange, asItIs.candidate, asItIs.dependencies)).toBe(false)
    const data = [{ type: 'reasoning.encrypted', data: sealed }]
    const said = { role: 'assistant', content: 'a', reasoning_details: data }
    const messages = [...Array.from({ length: 8_001 }, (_, index) => turn(index)), said]
    const carried = open('chat', large({ messages }))
    expect(isOpenedInSteps(carried.exchange, carried.candidate, carried.dependencies)).toBe(true)
  })

  it('is written at once when it is small', () => {
    const { exchange, candidate, dependencies } = open(
      'converse',
      JSON.stringify({ model: 'm', messages: [asked] }),
    )
    expect(isOpenedInSteps(exchange, candidate, dependencies)).toBe(false)
  })
})
