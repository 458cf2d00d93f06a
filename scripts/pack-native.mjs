// Puts what is built of `native/` into the package of this platform, stripped: `node scripts/pack-native.mjs`.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './pnpm.mjs'

const built = join(root, 'native/build/Release')
const folder = join(root, 'native/npm', `${process.platform}-${process.arch}`)
const host = 'triton_host.node'

function main() {
  if (!existsSync(join(folder, 'package.json'))) fail(`there is no package for ${process.platform} on ${process.arch}`)
  if (!existsSync(join(built, host))) fail(`there is no ${host} in '${built}'; build it: npm test`)
  rmSync(join(folder, host), { force: true })
  rmSync(join(folder, 'backends'), { recursive: true, force: true })
  for (const file of [host, ...libraries()]) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    copyFileSync(join(built, file), join(folder, file))
    run('strip', '--strip-unneeded', join(folder, file))
    console.log(`${file}: ${Math.ceil(statSync(join(folder, file)).size / 1024)} KiB`)
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

/** The backends of triton-ts, as `backends/<name>/libtriton_<name>.so`. */
function libraries() {
  return readdirSync(join(built, 'backends'), { recursive: true })
    .filter((file) => file.endsWith('.so'))
    .map((file) => join('backends', file))
}

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) fail(`${command} failed${error === undefined ? '' : `: ${error.message}`}`)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

main()
