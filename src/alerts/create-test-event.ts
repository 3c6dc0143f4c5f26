import type { AlertEvent } from './alert.ts'

/** A test alert for one receiver. It says that it is a test and is not stored. */
export function createTestEvent(nowMs: number): AlertEvent {
  return {
    type: 'opened',
    alert: {
      id: 'alr_test',
      identity: `test:${nowMs}`,
      kind: 'channel-down',
      rule: 'test',
      severity: 'info',
      peakSeverity: 'info',
      level: 1,
      subject: {},
      openedAtMs: nowMs,
      reportedAtMs: nowMs,
      message: 'this is a test of an alert; nothing is wrong',
      advice: undefined,
      details: { test: true },
      resolved: undefined,
      acknowledged: undefined,
      mute: undefined,
    },
  }
}
