#!/usr/bin/env node
// Package managers link this file when they install, which in a fresh clone is before dist/ is there.
import '../dist/main.js'
