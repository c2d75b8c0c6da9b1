local torsor = require "torsor"
local words = {}
for key, value in string.gmatch("a=1, b=22", "(%w+)=(%w+)") do words[key] = tonumber(value) end
local wrap = coroutine.wrap(function(...) for _, v in ipairs{ ... } do coroutine.yield(v) end end)
local good, message = pcall(error, { code = 2 })
local sorted = table.pack(wrap(3, 1, 2), words.a, math.random(10), #utf8.char(8364))
table.sort(sorted, function(a, b) return a < b end)
print(string.format("%5.2f %q %x", 1.5, "x\n", 255), select("#", table.unpack(sorted)), good)
local meta = setmetatable({}, { __index = function(t, k) return k .. "!" end, __call = function(self, x) return x end })
goto done
do print(meta.a .. meta(1) // 2 ~ 3 & 7 << 2) end
::done::
local robot = torsor.robot{ name = (("robot"):rep(2, "_"):gsub("_", "")) }
robot:link{ name = "link", joint = { "revolute", name = "joint", axis = {0, 0, 1} },
            inertia = { mass = 1, com = {1, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
return robot
