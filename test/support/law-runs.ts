/** Cases that each law is held to: LAW_RUNS in the environment, as the long run sets it. */
export const LAW_RUNS = Number(process.env['LAW_RUNS'] ?? 100)
