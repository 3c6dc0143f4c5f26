import { DAY_MS, HOUR_MS } from '../../kit/time/time-units.ts'

/**
 * The method of a forecast. `weekday-hours`: each future hour costs the average of the same hour of the same weekday.
 * `hours-of-day`: each costs the average of the same hour of earlier days. `recent-rate`: each costs the average of the
 * recent hours. `none`: nothing was spent yet.
 */
export type ForecastMethod = 'weekday-hours' | 'hours-of-day' | 'recent-rate' | 'none'

export interface ForecastInput {
  /** The amount spent in each past hour, by the number of the hour since 1970. Hours without spending are absent. */
  readonly hours: ReadonlyMap<number, number>
  readonly nowMs: number
  /** The amount spent in the window so far. */
  readonly spent: number
  /** Undefined: unlimited. */
  readonly limit: number | undefined
  /** The end of the window; undefined where it has none. */
  readonly endsAtMs: number | undefined
  /** The length of a rolling window, which its oldest hours leave; undefined for other windows. */
  readonly rollingMs: number | undefined
}

export interface BudgetForecast {
  readonly method: ForecastMethod
  /** The first hour of the history on which the forecast is based. */
  readonly historySinceMs: number | undefined
  /** The expected amount at the end of the window; undefined where the window has no end. */
  readonly endsWith: number | undefined
  /** The time at which the limit is expected to be reached; undefined if that is not within the forecast. */
  readonly runsOutAtMs: number | undefined
  /** The end of the forecast. */
  readonly looksUntilMs: number
}

export const FORECAST_HISTORY_HOURS = 28 * 24
const WEEK_HOURS = 168
const DAY_HOURS = 24
/** The hours of history that the methods by weekday and by hour of the day need. */
const ENOUGH_FOR_WEEKDAYS_HOURS = 2 * WEEK_HOURS
const ENOUGH_FOR_DAYS_HOURS = 2 * DAY_HOURS
const DAYS_BEFORE = 7
/** The length of a forecast for windows without an end. */
const LOOK_AHEAD_MS = 92 * DAY_MS

/** Forecasts the spending of a budget from its last four weeks, by hours in UTC. */
export function forecastBudget(input: ForecastInput): BudgetForecast {
  const { hours, nowMs, endsAtMs, rollingMs } = input
  const nowHour = Math.floor(nowMs / HOUR_MS)
  const first = Math.min(...[...hours.keys()].filter((hour) => hour >= nowHour - FORECAST_HISTORY_HOURS))
  const looksUntilMs = endsAtMs ?? nowMs + (rollingMs ?? LOOK_AHEAD_MS)
  const history = Number.isFinite(first) ? nowHour - first : 0
  const method = chooseMethod(history)
  const base = { method, looksUntilMs, historySinceMs: method === 'none' ? undefined : first * HOUR_MS }
  const expectOf = createExpectation(method, { hours, nowHour, first })
  const { total, runsOutAtMs } = walk(input, { expectOf, looksUntilMs })
  return { ...base, endsWith: endsAtMs === undefined ? undefined : Math.round(total), runsOutAtMs }
}

function chooseMethod(historyHours: number): ForecastMethod {
  if (historyHours <= 0) return 'none'
  if (historyHours >= ENOUGH_FOR_WEEKDAYS_HOURS) return 'weekday-hours'
  return historyHours >= ENOUGH_FOR_DAYS_HOURS ? 'hours-of-day' : 'recent-rate'
}

interface History {
  readonly hours: ReadonlyMap<number, number>
  readonly nowHour: number
  readonly first: number
}

/** The expected amount of an hour, by its number. */
type Expectation = (hour: number) => number

function createExpectation(method: ForecastMethod, history: History): Expectation {
  switch (method) {
    case 'none':
      return () => 0
    case 'recent-rate': {
      const rate = meanOfLast(DAY_HOURS, history)
      return () => rate
    }
    case 'hours-of-day':
      return remember(DAY_HOURS, (hour) => meanOfSame(hour, DAY_HOURS, DAYS_BEFORE * DAY_HOURS, history))
    case 'weekday-hours':
      return remember(WEEK_HOURS, (hour) => meanOfSame(hour, WEEK_HOURS, FORECAST_HISTORY_HOURS, history))
  }
}

/** Caches the expected amounts, which repeat with the rhythm. */
function remember(rhythmHours: number, compute: Expectation): Expectation {
  const computed = new Map<number, number>()
  return (hour) => {
    const name = hour % rhythmHours
    const value = computed.get(name) ?? compute(hour)
    computed.set(name, value)
    return value
  }
}

function meanOfLast(count: number, { hours, nowHour, first }: History): number {
  const from = Math.max(first, nowHour - count)
  let sum = 0
  for (let hour = from; hour < nowHour; hour += 1) sum += hours.get(hour) ?? 0
  return nowHour > from ? sum / (nowHour - from) : 0
}

function meanOfSame(
  wanted: number,
  rhythmHours: number,
  depthHours: number,
  { hours, nowHour, first }: History,
): number {
  const from = Math.max(first, nowHour - depthHours)
  let [sum, count] = [0, 0]
  for (let hour = from + ((((wanted - from) % rhythmHours) + rhythmHours) % rhythmHours); hour < nowHour; ) {
    sum += hours.get(hour) ?? 0
    count += 1
    hour += rhythmHours
  }
  return count === 0 ? 0 : sum / count
}

interface WalkOptions {
  readonly expectOf: Expectation
  readonly looksUntilMs: number
}

/** Adds up hour by hour; within an hour, spending is spread evenly. */
function walk(
  { hours, nowMs, spent, limit, rollingMs }: ForecastInput,
  { expectOf, looksUntilMs }: WalkOptions,
): { readonly total: number; readonly runsOutAtMs: number | undefined } {
  let total = spent
  if (limit !== undefined && total >= limit) return { total, runsOutAtMs: nowMs }
  let runsOutAtMs: number | undefined
  for (let atMs = nowMs; atMs < looksUntilMs; ) {
    const hour = Math.floor(atMs / HOUR_MS)
    const endMs = Math.min((hour + 1) * HOUR_MS, looksUntilMs)
    const share = (endMs - atMs) / HOUR_MS
    const added = expectOf(hour) * share
    if (limit !== undefined && runsOutAtMs === undefined && added > 0 && total + added >= limit)
      runsOutAtMs = Math.round(atMs + ((limit - total) / added) * (endMs - atMs))
    total += added
    if (rollingMs !== undefined) {
      const leaving = Math.floor((atMs - rollingMs) / HOUR_MS)
      total = Math.max(0, total - (hours.get(leaving) ?? 0) * share)
    }
    atMs = endMs
  }
  return { total, runsOutAtMs }
}
