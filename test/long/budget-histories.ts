// A million histories of budgets by chance: holds, settlements, crashes, clocks set forward and back, changes
// of limits and time zones, with days of 23 and 25 hours and the ends of months in 20 time zones. HISTORIES
// in the environment changes their number, SEED where they begin.
import { BudgetHistory, createHistoryFigures } from '../support/budget-history/budget-history.ts'

const HISTORIES = Number(process.env['HISTORIES'] ?? 1_000_000)
const SEED = Number(process.env['SEED'] ?? 1)
const STEPS = 30
const REPORTED = 20
/** Neighbours would begin with the same numbers. */
const SPREAD = 2_654_435_761

const figures = createHistoryFigures()
const startMs = performance.now()
let failures = 0
for (let number = SEED; number < SEED + HISTORIES; number += 1) {
  try {
    new BudgetHistory(Math.imul(number, SPREAD), figures).run(STEPS)
  } catch (error) {
    failures += 1
    if (failures <= REPORTED) process.stdout.write(`SEED=${number}: ${String(error)}\n`)
  }
}
const seconds = Math.round((performance.now() - startMs) / 1_000)
const counts = Object.entries(figures).map(([name, times]) => `${name} ${times}`)
process.stdout.write(`${HISTORIES} histories in ${seconds} s: ${counts.join(', ')}; failures ${failures}\n`)
if (failures > 0 || figures.held === 0) process.exitCode = 1
