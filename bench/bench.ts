import { median } from './drive.ts'
import { measureRows } from './ratios.ts'
const [rounds = '3', seconds = '1', ...names] = process.argv.slice(2)
const all = await measureRows({rounds: Number(rounds), seconds: Number(seconds)}, n => names.length===0 || names.some(x => n.includes(x)))
for (const { row, samples } of all) {
  const bare = samples['bare-http']!
  console.log(row.name.padEnd(42), `≤ ${row.target}`)
  for (const [name, list] of Object.entries(samples)) {
    const ratios = list.map((s, i) => s.cpu / bare[i]!.cpu)
    console.log('   ', name.padEnd(12), median(list.map(s => s.rate)).toFixed(0).padStart(7), median(list.map(s=>s.p50)).toFixed(2), median(list.map(s=>s.p99)).toFixed(2), 'cpu', median(list.map(s => s.cpu)).toFixed(1).padStart(6), 'min', Math.min(...list.map(s=>s.cpu)).toFixed(1), 'xmin', (Math.min(...list.map(s=>s.cpu))/Math.min(...bare.map(s=>s.cpu))).toFixed(2), 'x', median(ratios).toFixed(2), `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`, (list.at(-1)!.peak/1e6).toFixed(0)+'MB')
  }
}
process.exit(0)
