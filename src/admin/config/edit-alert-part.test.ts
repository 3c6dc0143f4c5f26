import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../kit/json/json.ts'
import { editAlertPart } from './edit-alert-part.ts'

const put = (document: JsonObject, name: string, object: JsonObject) =>
  editAlertPart(document, 'alert-rules', { name, change: 'replace', object })
const patch = (document: JsonObject, name: string, object: JsonObject) =>
  editAlertPart(document, 'alert-rules', { name, change: 'patch', object })
const remove = (document: JsonObject, name: string) =>
  editAlertPart(document, 'alert-rules', { name, change: 'remove', object: {} })

describe('an alert rule', () => {
  it('is added next to the default rule of its kind, which stays in force', () => {
    expect(put({}, 'paid', { kind: 'error-rate', channels: ['paid'], above: 5 })).toEqual({
      alerts: {
        rules: [{ kind: 'error-rate' }, { name: 'paid', kind: 'error-rate', channels: ['paid'], above: 5 }],
      },
    })
  })

  it('of a kind without a default becomes the only rule', () => {
    expect(put({}, 'slow', { kind: 'latency', above: '5s' })).toEqual({
      alerts: { rules: [{ name: 'slow', kind: 'latency', above: '5s' }] },
    })
  })

  it('is changed field by field, including a default rule', () => {
    const off = patch({}, 'unpriced', { off: true })
    expect(off).toEqual({ alerts: { rules: [{ kind: 'unpriced', off: true }] } })
    expect(patch(off, 'unpriced', { off: null, within: '2d' })).toEqual({
      alerts: { rules: [{ kind: 'unpriced', within: '2d' }] },
    })
    expect(() => patch({}, 'slow', { above: '5s' })).toThrow(/no rule "slow"/)
  })

  it('is deleted, with its section if it was the last one; a default rule can only be turned off', () => {
    const slow = put({ retry: {} }, 'slow', { kind: 'latency', above: '5s' })
    expect(remove(slow, 'slow')).toEqual({ retry: {} })
    expect(() => remove({}, 'disk')).toThrow(/"off": true/)
  })

  it('is not found if its kind has no default, or if another rule replaced the default', () => {
    expect(() => patch({}, 'latency', { above: '5s' })).toThrow(/no rule "latency"/)
    expect(() => remove({}, 'latency')).toThrow(/no rule "latency"/)
    const other = { alerts: { rules: [{ name: 'full', kind: 'disk' }] } }
    expect(() => remove(other, 'disk')).toThrow(/no rule "disk"/)
  })

  it('takes its name from the path and refuses another name in the body', () => {
    const named = { name: 'other', kind: 'latency', above: '5s' }
    expect(() => put({}, 'slow', named)).toThrow(/name in the path/)
    expect(() => patch({}, 'disk', { name: 'other' })).toThrow(/name in the path/)
    expect(put({}, 'slow', { ...named, name: 'slow' })).toEqual({
      alerts: { rules: [{ name: 'slow', kind: 'latency', above: '5s' }] },
    })
  })
})

describe('an alert receiver', () => {
  const change = (document: JsonObject, how: 'replace' | 'patch' | 'remove', object: JsonObject = {}) =>
    editAlertPart(document, 'alert-receivers', { name: 'ops', change: how, object })

  it('is added, changed field by field and deleted', () => {
    const one = change({}, 'replace', { type: 'slack', url: 'https://hooks.example.com/a' })
    expect(one).toEqual({
      alerts: { receivers: [{ type: 'slack', url: 'https://hooks.example.com/a', name: 'ops' }] },
    })
    expect(change(one, 'patch', { severity: 'critical' })).toMatchObject({
      alerts: { receivers: [{ name: 'ops', severity: 'critical', url: 'https://hooks.example.com/a' }] },
    })
    expect(change(one, 'remove')).toEqual({})
    expect(() => change({}, 'patch', { severity: 'critical' })).toThrow(/no receiver "ops"/)
    expect(() => change(one, 'patch', { name: 'other' })).toThrow(/name in the path/)
    expect(() => change({}, 'replace', { name: 'other', type: 'slack' })).toThrow(/name in the path/)
  })

  it('that is defined by the webhook of the section is changed there', () => {
    const document = { alerts: { webhook: 'https://a.example/x', secret: 's', repeat: '2h' } }
    const webhook = { name: 'webhook', object: { url: 'https://b.example/y' } }
    expect(editAlertPart(document, 'alert-receivers', { ...webhook, change: 'patch' })).toEqual({
      alerts: { webhook: 'https://b.example/y', secret: 's', repeat: '2h' },
    })
    expect(editAlertPart(document, 'alert-receivers', { ...webhook, change: 'remove' })).toEqual({
      alerts: { repeat: '2h' },
    })
    expect(() =>
      editAlertPart(document, 'alert-receivers', {
        name: 'webhook',
        change: 'patch',
        object: { severity: 'critical' },
      }),
    ).toThrow(/make a receiver in its place/)
    expect(() =>
      editAlertPart(document, 'alert-receivers', { name: 'webhook', change: 'patch', object: { name: 'b' } }),
    ).toThrow(/name in the path/)
  })
})
