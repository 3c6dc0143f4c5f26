import type { JsonObject } from '../../kit/json/json.ts'
import type { AdminRequest, AdminRoute } from '../admin-route.ts'
import type { ConfigOperations } from '../config/config-operations.ts'
import { changeErrors, etagOf } from '../config/config-routes.ts'
import type { AlertPart } from '../config/edit-alert-part.ts'
import { changeObject, type ObjectChange } from '../config/object-edits.ts'
import { readConfigAuthor } from '../read-actor.ts'
import { readInput } from '../read-input.ts'
import { alertEntrySchema, alertRulesSchema, receiverListSchema } from './alert-contract.ts'
import type { AlertOperations } from './manage-alerts.ts'

type AlertParts = Pick<AlertOperations, 'rules' | 'receivers'>
type PolicyConfig = Pick<ConfigOperations, 'edit'>

/** The routes that change rules and receivers one by one. Each change is a version of the whole document. */
export function createAlertPolicyRoutes(config: PolicyConfig, alerts: AlertParts): readonly AdminRoute[] {
  const rules = createPartRoutes(config, {
    part: 'alert-rules',
    path: '/admin/v1/alerts/rules/{name}',
    pathParameters: { name: 'The name of the rule; that of its kind where it has none of its own.' },
    answer: { status: 200, schema: alertRulesSchema },
    view: () => ({ ...alerts.rules() }),
    summaries: {
      replace: 'Set a rule, or add it; the answer is all that are in force',
      patch: 'Change some fields of a rule (RFC 7396), also of a default one',
      remove: 'Delete a rule; the default of its kind is in force again with the last one of the kind',
    },
  })
  const receivers = createPartRoutes(config, {
    part: 'alert-receivers',
    path: '/admin/v1/alerts/receivers/{name}',
    pathParameters: { name: 'The name of the receiver.' },
    answer: { status: 200, schema: receiverListSchema },
    view: () => ({ ...alerts.receivers() }),
    summaries: {
      replace: 'Set a receiver, or add it; the answer is all of them',
      patch: 'Change some fields of a receiver (RFC 7396)',
      remove: 'Delete a receiver',
    },
  })
  return [...rules, ...receivers]
}

interface RoutedPart extends Pick<AdminRoute, 'path' | 'answer'> {
  readonly part: AlertPart
  readonly pathParameters: { readonly name: string }
  /** The complete part for the response after one entry changed. */
  readonly view: () => JsonObject
  readonly summaries: Readonly<Record<Exclude<ObjectChange['change'], 'create'>, string>>
}

/** A receiver sends alerts to an address, as a channel sends requests to one. A rule that is off hides a problem. */
const policy = { access: 'write', scope: 'alerts:write', fresh: true } as const

function createPartRoutes(
  config: PolicyConfig,
  { part, path, pathParameters, answer, view, summaries }: RoutedPart,
): readonly AdminRoute[] {
  const shared = { path, pathParameters, answer, policy }
  const withBody = {
    ...shared,
    body: alertEntrySchema,
    errors: ['config_object_not_found', 'body_not_object', 'invalid_field', ...changeErrors],
  } as const
  const change = async (request: AdminRequest, how: ObjectChange['change']) => {
    const name = request.params['name'] ?? ''
    const object = how === 'remove' ? {} : readInput(alertEntrySchema, request.body)
    const state = await changeObject(
      { kind: part, name, change: how, object },
      config,
      readConfigAuthor(request),
    )
    return {
      status: 200,
      headers: etagOf(state),
      body: { ...view(), config_version: state.newest.number },
    }
  }
  return [
    {
      ...withBody,
      method: 'PUT',
      summary: summaries.replace,
      handler: (request) => change(request, 'replace'),
    },
    {
      ...withBody,
      method: 'PATCH',
      summary: summaries.patch,
      handler: (request) => change(request, 'patch'),
    },
    {
      ...shared,
      method: 'DELETE',
      summary: summaries.remove,
      errors: ['config_object_not_found', ...changeErrors],
      handler: (request) => change(request, 'remove'),
    },
  ]
}
