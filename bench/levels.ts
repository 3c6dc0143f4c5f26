/**
 * The levels of work that a gateway does in the comparison. `no auth`: passes requests on, without a log. `auth and
 * routing`: one of 100 keys is checked and one of two weighted targets chosen. `everything`: that, and what else the
 * gateway has: Headgate its log, five exact budgets and rate limits, nginx a log row for each request.
 */
export const levels = ['no auth', 'auth and routing', 'everything'] as const
export type Level = (typeof levels)[number]
