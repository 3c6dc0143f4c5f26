import { deepEqual } from 'node:assert/strict'
import { isJsonObject, type JsonObject } from '../../../../src/kit/json/json.ts'
import { Refusal } from '../../../support/agent/conversation.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'

const report = { city: 'Gen\u00e8ve "GE"', degrees: -1.5 }

export const structured: FrameworkScenario = {
  name: 'structured',
  async run({ open }) {
    await using bench = await open(({ conversation: { outputSchema, tools } }) => {
      if (outputSchema !== undefined && isOfReport(outputSchema)) return { text: JSON.stringify(report) }
      const tool = tools.find(({ schema }) => isOfReport(schema))
      if (tool === undefined) throw new Refusal('neither a schema nor a tool asks for a report')
      return { calls: [{ id: 'call_report', name: tool.name, input: report }] }
    })
    deepEqual(await bench.client.askForReport('Report.'), report)
  },
}

function isOfReport({ properties }: JsonObject): boolean {
  return isJsonObject(properties) && Object.keys(properties).sort().join() === 'city,degrees'
}
