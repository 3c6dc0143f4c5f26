import type { AdminRoute } from '../admin-route.ts'
import { readActor } from '../read-actor.ts'
import { readInput } from '../read-input.ts'
import {
  acknowledgeAlertSchema,
  alertListSchema,
  alertRulesSchema,
  alertViewSchema,
  listAlertsSchema,
  muteAlertSchema,
  receiverListSchema,
  testAlertSchema,
  testedReceiverSchema,
} from './alert-contract.ts'
import type { AlertOperations } from './manage-alerts.ts'

/** The routes of alerts, their rules and their receivers. */
export function createAlertRoutes(alerts: AlertOperations): readonly AdminRoute[] {
  return [...createReadRoutes(alerts), ...createChangeRoutes(alerts), createTestRoute(alerts)]
}

const onOneAlert = {
  pathParameters: { id: "The alert's id, such as alr_1f0c…" },
  answer: { status: 200, schema: alertViewSchema },
} as const

function createReadRoutes(alerts: AlertOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/alerts',
      policy: { access: 'read', scope: 'alerts:read' },
      summary: 'List open and past alerts by pages, those opened last first',
      query: listAlertsSchema,
      answer: { status: 200, schema: alertListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await alerts.list(query)) } }),
    },
    {
      method: 'GET',
      path: '/admin/v1/alerts/receivers',
      policy: { access: 'read', scope: 'alerts:read' },
      summary: 'List the receivers of alerts, without secrets, with their last delivery',
      answer: { status: 200, schema: receiverListSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...alerts.receivers() } }),
    },
    {
      method: 'GET',
      path: '/admin/v1/alerts/rules',
      policy: { access: 'read', scope: 'alerts:read' },
      summary: 'List the rules in force, and who owns them',
      answer: { status: 200, schema: alertRulesSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...alerts.rules() } }),
    },
    {
      ...onOneAlert,
      method: 'GET',
      path: '/admin/v1/alerts/{id}',
      policy: { access: 'read', scope: 'alerts:read' },
      summary: 'Show an alert',
      errors: ['alert_not_found'],
      handler: async ({ params }) => ({ status: 200, body: { ...(await alerts.get(params['id'] ?? '')) } }),
    },
  ]
}

const changeErrors = ['body_not_object', 'invalid_field', 'alert_not_found', 'alert_resolved'] as const

function createChangeRoutes(alerts: AlertOperations): readonly AdminRoute[] {
  return [
    {
      ...onOneAlert,
      method: 'POST',
      path: '/admin/v1/alerts/{id}/acknowledge',
      policy: { access: 'write', scope: 'alerts:write' },
      summary: 'Acknowledge an open alert: it is not repeated unless it gets worse',
      body: acknowledgeAlertSchema,
      errors: changeErrors,
      async handler(request) {
        const { comment } = readInput(acknowledgeAlertSchema, request.body)
        const view = await alerts.acknowledge(request.params['id'] ?? '', comment, readActor(request))
        return { status: 200, body: { ...view } }
      },
    },
    {
      ...onOneAlert,
      method: 'POST',
      path: '/admin/v1/alerts/{id}/mute',
      policy: { access: 'write', scope: 'alerts:write' },
      summary: 'Send nothing of this problem for a while, also where it is over and begins again',
      body: muteAlertSchema,
      errors: ['missing_field', ...changeErrors],
      async handler(request) {
        const { for: span } = readInput(muteAlertSchema, request.body)
        const view = await alerts.mute(request.params['id'] ?? '', span, readActor(request))
        return { status: 200, body: { ...view } }
      },
    },
    {
      ...onOneAlert,
      method: 'DELETE',
      path: '/admin/v1/alerts/{id}/mute',
      policy: { access: 'write', scope: 'alerts:write' },
      summary: 'End the mute of an open alert',
      errors: ['alert_not_found', 'alert_resolved'],
      async handler(request) {
        const view = await alerts.mute(request.params['id'] ?? '', undefined, readActor(request))
        return { status: 200, body: { ...view } }
      },
    },
  ]
}

function createTestRoute(alerts: AlertOperations): AdminRoute {
  return {
    method: 'POST',
    path: '/admin/v1/alerts/test',
    policy: { access: 'write', scope: 'alerts:write' },
    summary: 'Send an alert that says it is a test to a receiver, and say how that went',
    body: testAlertSchema,
    answer: { status: 200, schema: testedReceiverSchema },
    errors: ['body_not_object', 'missing_field', 'invalid_field', 'config_object_not_found'],
    async handler(request) {
      const { receiver } = readInput(testAlertSchema, request.body)
      return { status: 200, body: { ...(await alerts.test(receiver, readActor(request))) } }
    },
  }
}
